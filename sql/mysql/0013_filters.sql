-- Version 13: the commands of --filter and the programs that they found, each by the number that
-- `contents` has of a file that was given to it.
CREATE TABLE IF NOT EXISTS filter_command (
	number  BIGINT     NOT NULL PRIMARY KEY,
	command MEDIUMBLOB NOT NULL,
	version MEDIUMBLOB NOT NULL
);

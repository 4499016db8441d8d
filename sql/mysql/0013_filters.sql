-- Version 13: the commands of --filter, by the number that `contents` has of a file that was given to
-- one, and the program that each found.
CREATE TABLE IF NOT EXISTS filter_command (
	number  BIGINT     NOT NULL PRIMARY KEY,
	command MEDIUMBLOB NOT NULL,
	version MEDIUMBLOB NOT NULL
);

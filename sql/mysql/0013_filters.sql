-- Version 13: the commands of --filter and the programs that they found. `contents` has the number of the
-- command that read a file.
CREATE TABLE IF NOT EXISTS filter_command (
	number  BIGINT     NOT NULL PRIMARY KEY,
	command MEDIUMBLOB NOT NULL,
	version MEDIUMBLOB NOT NULL
);

-- Version 13: the commands of --filter and the programs that they found, each by the number that
-- `contents` has of a file that was given to it.
CREATE TABLE filter_command (
	number  INTEGER NOT NULL PRIMARY KEY,
	command BLOB    NOT NULL,
	version BLOB    NOT NULL
);

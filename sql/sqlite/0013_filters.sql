-- Version 13: the commands of --filter, by the number that `contents` has of a file that was given to
-- one, and the program that each found.
CREATE TABLE filter_command (
	number  INTEGER NOT NULL PRIMARY KEY,
	command BLOB    NOT NULL,
	version BLOB    NOT NULL
);

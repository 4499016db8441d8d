-- Version 13: the commands of --filter and the programs that they found. `contents` has the number of the
-- command that read a file.
CREATE TABLE filter_command (
	number  INTEGER NOT NULL PRIMARY KEY,
	command BLOB    NOT NULL,
	version BLOB    NOT NULL
);

-- The index, version 1, for SQLite. docs/schema.md explains every column. Paths are BLOBs, because they can
-- be any bytes. The view file_text shows them as text. Sizes, counts and keys are signed 64-bit integers.

CREATE TABLE schema_version (
	version INTEGER NOT NULL PRIMARY KEY
);

CREATE TABLE tag_set (
	id   INTEGER NOT NULL PRIMARY KEY,
	name TEXT    NOT NULL UNIQUE
);

-- Weights are in thousandths.
CREATE TABLE tag (
	tag_set  INTEGER NOT NULL,
	position INTEGER NOT NULL,
	pattern  INTEGER NOT NULL,
	uniform  INTEGER NOT NULL,
	scatter  INTEGER NOT NULL,
	skew     INTEGER NOT NULL,
	PRIMARY KEY (tag_set, position)
) WITHOUT ROWID;

CREATE TABLE host (
	id   INTEGER NOT NULL PRIMARY KEY,
	name TEXT    NOT NULL UNIQUE
);

CREATE TABLE scan_run (
	id             INTEGER NOT NULL PRIMARY KEY,
	tag_set        INTEGER NOT NULL,
	host           INTEGER NOT NULL,
	root           BLOB    NOT NULL,
	started_at_ns  INTEGER NOT NULL,
	finished_at_ns INTEGER,
	files          INTEGER NOT NULL DEFAULT 0,
	bytes          INTEGER NOT NULL DEFAULT 0,
	errors         INTEGER NOT NULL DEFAULT 0
);

-- All directories that have rows in file now, or had rows earlier.
CREATE TABLE directory (
	tag_set        INTEGER NOT NULL,
	host           INTEGER NOT NULL,
	directory_hash BLOB    NOT NULL,
	path           BLOB    NOT NULL,
	PRIMARY KEY (tag_set, host, directory_hash)
) WITHOUT ROWID;

CREATE INDEX directory_path ON directory (tag_set, host, path);

CREATE TABLE file (
	tag_set      INTEGER NOT NULL,
	host         INTEGER NOT NULL,
	path_hash    BLOB    NOT NULL,
	directory    BLOB    NOT NULL,
	name         BLOB    NOT NULL,
	extension    BLOB    NOT NULL,
	size         INTEGER NOT NULL,
	mtime_ns     INTEGER NOT NULL,
	device       INTEGER NOT NULL,
	inode        INTEGER NOT NULL,
	content_hash BLOB    NOT NULL,
	scanned_at_ns INTEGER NOT NULL,
	sum_00 INTEGER NOT NULL, sum_01 INTEGER NOT NULL, sum_02 INTEGER NOT NULL, sum_03 INTEGER NOT NULL,
	sum_04 INTEGER NOT NULL, sum_05 INTEGER NOT NULL, sum_06 INTEGER NOT NULL, sum_07 INTEGER NOT NULL,
	sum_08 INTEGER NOT NULL, sum_09 INTEGER NOT NULL, sum_10 INTEGER NOT NULL, sum_11 INTEGER NOT NULL,
	sum_12 INTEGER NOT NULL, sum_13 INTEGER NOT NULL, sum_14 INTEGER NOT NULL, sum_15 INTEGER NOT NULL,
	uniform     INTEGER NOT NULL,
	scatter     INTEGER NOT NULL,
	skew        INTEGER NOT NULL,
	uniform_ext INTEGER NOT NULL,
	scatter_ext INTEGER NOT NULL,
	skew_ext    INTEGER NOT NULL,
	PRIMARY KEY (tag_set, host, path_hash)
) WITHOUT ROWID;

-- after_load.sql creates the other indexes of file.

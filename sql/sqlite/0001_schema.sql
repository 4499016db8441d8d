-- The index, version 1, for SQLite. docs/schema.md explains every column.
-- Paths are bytes of any length, hence BLOB; the view file_text shows them as
-- text. Sizes, counts and keys are signed 64-bit integers.

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

-- Every directory that has, or had, rows in file.
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

-- The other indexes of file are made by after_load.sql.

CREATE VIEW file_text AS
SELECT t.name AS tag_set, h.name AS host,
	CASE WHEN f.directory = X'2f' THEN '' ELSE CAST(f.directory AS TEXT) END
		|| '/' || CAST(f.name AS TEXT) AS path,
	CAST(f.directory AS TEXT) AS directory, CAST(f.name AS TEXT) AS name,
	CAST(f.extension AS TEXT) AS extension, f.size,
	strftime('%Y-%m-%d %H:%M:%S', f.mtime_ns / 1000000000, 'unixepoch') AS modified_utc,
	lower(hex(f.content_hash)) AS content_hash,
	f.sum_00, f.sum_01, f.sum_02, f.sum_03, f.sum_04, f.sum_05, f.sum_06, f.sum_07,
	f.sum_08, f.sum_09, f.sum_10, f.sum_11, f.sum_12, f.sum_13, f.sum_14, f.sum_15,
	f.uniform, f.scatter, f.skew, f.uniform_ext, f.scatter_ext, f.skew_ext
FROM file f JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host;

CREATE VIEW duplicate AS
SELECT tag_set, lower(hex(content_hash)) AS content_hash, size, count(*) AS files,
	size * (count(*) - 1) AS spare_bytes
FROM file WHERE size > 0 GROUP BY tag_set, file.content_hash, size HAVING count(*) > 1;

CREATE VIEW extension_statistics AS
SELECT tag_set, CAST(extension AS TEXT) AS extension, count(*) AS files, sum(size) AS bytes,
	min(skew) AS least_skew, max(skew) AS largest_skew,
	min(skew_ext) AS least_skew_ext, max(skew_ext) AS largest_skew_ext
FROM file GROUP BY tag_set, file.extension;

-- The index, version 1, for MySQL, MariaDB and compatible engines. docs/schema.md explains every column. Paths are
-- binary columns, because they can be any bytes. The view file_text shows them as text. Sizes, counts and keys are
-- signed. Each statement can be run again. So if the first opening of an index is interrupted, the second one completes
-- it.

CREATE TABLE IF NOT EXISTS schema_version (
	version INTEGER NOT NULL PRIMARY KEY
);

CREATE TABLE IF NOT EXISTS tag_set (
	id   BIGINT NOT NULL PRIMARY KEY,
	name VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE
);

-- Weights are in thousandths.
CREATE TABLE IF NOT EXISTS tag (
	tag_set  BIGINT NOT NULL,
	position BIGINT NOT NULL,
	pattern  BIGINT NOT NULL,
	uniform  BIGINT NOT NULL,
	scatter  BIGINT NOT NULL,
	skew     BIGINT NOT NULL,
	PRIMARY KEY (tag_set, position)
);

CREATE TABLE IF NOT EXISTS host (
	id   BIGINT NOT NULL PRIMARY KEY,
	name VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE
);

CREATE TABLE IF NOT EXISTS scan_run (
	id             BIGINT     NOT NULL PRIMARY KEY,
	tag_set        BIGINT     NOT NULL,
	host           BIGINT     NOT NULL,
	root           MEDIUMBLOB NOT NULL,
	started_at_ns  BIGINT     NOT NULL,
	finished_at_ns BIGINT,
	files          BIGINT     NOT NULL DEFAULT 0,
	bytes          BIGINT     NOT NULL DEFAULT 0,
	errors         BIGINT     NOT NULL DEFAULT 0
);

-- All directories that have rows in file now, or had rows earlier.
CREATE TABLE IF NOT EXISTS directory (
	tag_set        BIGINT     NOT NULL,
	host           BIGINT     NOT NULL,
	directory_hash BINARY(8)  NOT NULL,
	path           MEDIUMBLOB NOT NULL,
	PRIMARY KEY (tag_set, host, directory_hash),
	KEY directory_path (tag_set, host, path(255))
);

CREATE TABLE IF NOT EXISTS file (
	tag_set      BIGINT          NOT NULL,
	host         BIGINT          NOT NULL,
	path_hash    BINARY(16)      NOT NULL,
	directory    MEDIUMBLOB      NOT NULL,
	name         VARBINARY(1020) NOT NULL,
	extension    VARBINARY(1020) NOT NULL,
	size         BIGINT          NOT NULL,
	mtime_ns     BIGINT          NOT NULL,
	device       BIGINT          NOT NULL,
	inode        BIGINT          NOT NULL,
	content_hash BINARY(16)      NOT NULL,
	scanned_at_ns BIGINT         NOT NULL,
	sum_00 BIGINT NOT NULL, sum_01 BIGINT NOT NULL, sum_02 BIGINT NOT NULL, sum_03 BIGINT NOT NULL,
	sum_04 BIGINT NOT NULL, sum_05 BIGINT NOT NULL, sum_06 BIGINT NOT NULL, sum_07 BIGINT NOT NULL,
	sum_08 BIGINT NOT NULL, sum_09 BIGINT NOT NULL, sum_10 BIGINT NOT NULL, sum_11 BIGINT NOT NULL,
	sum_12 BIGINT NOT NULL, sum_13 BIGINT NOT NULL, sum_14 BIGINT NOT NULL, sum_15 BIGINT NOT NULL,
	uniform     BIGINT NOT NULL,
	scatter     BIGINT NOT NULL,
	skew        BIGINT NOT NULL,
	uniform_ext BIGINT NOT NULL,
	scatter_ext BIGINT NOT NULL,
	skew_ext    BIGINT NOT NULL,
	PRIMARY KEY (tag_set, host, path_hash),
	KEY file_skew_ext (tag_set, skew_ext),
	KEY file_uniform (tag_set, uniform)
);

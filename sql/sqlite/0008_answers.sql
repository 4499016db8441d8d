-- Version 8: what simfind --store found, for SQL: groups of similar files, and pairs. A row names
-- the contents that its files had; where that of the row in file is another, the file has
-- changed since, and no view shows the row.

-- A run of simfind --store. `state` is 'begun', 'current' or 'replaced': a tag set has one current
-- run at most, the only one that the views show. `host` is where it ran, `options` its command.
-- pair_count is NULL where pairs were not looked for.
CREATE TABLE find_run (
	id                INTEGER NOT NULL PRIMARY KEY,
	tag_set           INTEGER NOT NULL,
	host              TEXT NOT NULL,
	options           BLOB NOT NULL,
	program_version   TEXT NOT NULL,
	state             TEXT NOT NULL,
	started_at_ns     INTEGER NOT NULL,
	finished_at_ns    INTEGER,
	group_count       INTEGER NOT NULL DEFAULT 0,
	file_count        INTEGER NOT NULL DEFAULT 0,
	pair_count        INTEGER,
	stored_pair_count INTEGER NOT NULL DEFAULT 0
);

-- A file, of the tag set of the run, in its group, and what is known of it and the representative:
-- resemblance is NULL where it is not known.
CREATE TABLE file_group (
	run                 INTEGER NOT NULL,
	host                INTEGER NOT NULL,
	path_hash           BLOB NOT NULL,
	content_hash        BLOB NOT NULL,
	group_id            TEXT NOT NULL,
	role                TEXT NOT NULL,
	representative_host INTEGER NOT NULL,
	representative_hash BLOB NOT NULL,
	distance            INTEGER NOT NULL,
	resemblance         REAL,
	verified            TEXT NOT NULL,
	PRIMARY KEY (run, path_hash, host)
) WITHOUT ROWID;

CREATE INDEX file_group_id ON file_group (run, group_id);

CREATE INDEX file_group_representative
ON file_group (run, representative_hash, representative_host, content_hash);

-- A pair of files, of the tag set of the run. contained_a is the share of a that is found in b, where
-- that is known.
CREATE TABLE file_pair (
	run            INTEGER NOT NULL,
	host_a         INTEGER NOT NULL,
	path_hash_a    BLOB NOT NULL,
	content_hash_a BLOB NOT NULL,
	host_b         INTEGER NOT NULL,
	path_hash_b    BLOB NOT NULL,
	content_hash_b BLOB NOT NULL,
	is_copy        INTEGER NOT NULL,
	distance       INTEGER NOT NULL,
	resemblance    REAL,
	contained_a    REAL,
	contained_b    REAL,
	verified       TEXT NOT NULL,
	PRIMARY KEY (run, path_hash_a, host_a, path_hash_b, host_b)
) WITHOUT ROWID;

CREATE INDEX file_pair_b ON file_pair (run, path_hash_b, host_b);

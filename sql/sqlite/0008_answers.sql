-- Version 8: the groups and pairs that simfind --store found. A row has the content hashes of its files. If the row in
-- file has another hash, the file has changed since then, and no view shows the row.

-- A run of simfind --store. `state` is 'begun', 'current' or 'replaced'. A tag set has at most one current run,
-- and the views show only this one. `host` is the host of the run, and `options` is its command. pair_count
-- is NULL if the run did not search for pairs.
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

-- A file in its group, in the tag set of the run, and its relation to the first file of the group.
-- resemblance is NULL if it is unknown.
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

-- A pair of files in the tag set of the run. contained_a is the share of file a that is in file b, or NULL.
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

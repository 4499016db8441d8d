-- Version 8: the groups and pairs that simfind --store found. A row has the content hashes of its files. If the row in
-- file has another hash, the file has changed since then, and no view shows the row. Each statement can be run again.

-- A run of simfind --store. `state` is 'begun', 'current' or 'replaced'. A tag set has at most one current run,
-- and the views show only this one. `host` is the host of the run, and `options` is its command. pair_count
-- is NULL if the run did not search for pairs.
CREATE TABLE IF NOT EXISTS find_run (
	id                BIGINT NOT NULL PRIMARY KEY,
	tag_set           BIGINT NOT NULL,
	host              VARCHAR(255) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	options           MEDIUMBLOB NOT NULL,
	program_version   VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	state             VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	started_at_ns     BIGINT NOT NULL,
	finished_at_ns    BIGINT,
	group_count       BIGINT NOT NULL DEFAULT 0,
	file_count        BIGINT NOT NULL DEFAULT 0,
	pair_count        BIGINT,
	stored_pair_count BIGINT NOT NULL DEFAULT 0
);

-- A file in its group, in the tag set of the run, and its relation to the first file of the group.
-- resemblance is NULL if it is unknown.
CREATE TABLE IF NOT EXISTS file_group (
	run                 BIGINT NOT NULL,
	host                BIGINT NOT NULL,
	path_hash           BINARY(16) NOT NULL,
	content_hash        BINARY(16) NOT NULL,
	group_id            CHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	role                VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	representative_host BIGINT NOT NULL,
	representative_hash BINARY(16) NOT NULL,
	distance            BIGINT NOT NULL,
	resemblance         DOUBLE,
	verified            VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	PRIMARY KEY (run, path_hash, host),
	KEY file_group_id (run, group_id),
	KEY file_group_representative (run, representative_hash, representative_host, content_hash)
);

-- A pair of files in the tag set of the run. contained_a is the share of file a that is in file b, or NULL.
CREATE TABLE IF NOT EXISTS file_pair (
	run            BIGINT NOT NULL,
	host_a         BIGINT NOT NULL,
	path_hash_a    BINARY(16) NOT NULL,
	content_hash_a BINARY(16) NOT NULL,
	host_b         BIGINT NOT NULL,
	path_hash_b    BINARY(16) NOT NULL,
	content_hash_b BINARY(16) NOT NULL,
	is_copy        BIGINT NOT NULL,
	distance       BIGINT NOT NULL,
	resemblance    DOUBLE,
	contained_a    DOUBLE,
	contained_b    DOUBLE,
	verified       VARCHAR(16) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
	PRIMARY KEY (run, path_hash_a, host_a, path_hash_b, host_b),
	KEY file_pair_b (run, path_hash_b, host_b)
);

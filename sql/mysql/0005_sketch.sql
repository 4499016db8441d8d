-- Version 5: sketches of other measures, beside the sum tables: of the files that were
-- indexed with --measure. docs/measures.md tells of the measures. Each statement may be
-- run again.

-- `name` is the measure with all its parameters, such as 'minhash:bytes=8,functions=128,cluster=4'.
CREATE TABLE IF NOT EXISTS measure (
	id   BIGINT NOT NULL PRIMARY KEY,
	name VARCHAR(120) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE
);

-- The sketch of a file's content, which content_hash tells: where that of the row in file is
-- another, the file has changed since. cluster is a key that much alike files have in common.
CREATE TABLE IF NOT EXISTS sketch (
	tag_set      BIGINT     NOT NULL,
	host         BIGINT     NOT NULL,
	path_hash    BINARY(16) NOT NULL,
	measure      BIGINT     NOT NULL,
	content_hash BINARY(16) NOT NULL,
	features     BIGINT     NOT NULL,
	cluster      BIGINT     NOT NULL,
	value        BLOB       NOT NULL,
	PRIMARY KEY (tag_set, host, path_hash, measure),
	KEY sketch_cluster (measure, cluster)
);

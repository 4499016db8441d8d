-- Version 5: sketches of other measures, for files that were indexed with --measure. docs/measures.md
-- describes the measures. Each statement can be run again.

-- `name` is the measure with all its parameters, such as 'minhash:bytes=8,functions=128,cluster=4'.
CREATE TABLE IF NOT EXISTS measure (
	id   BIGINT NOT NULL PRIMARY KEY,
	name VARCHAR(120) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE
);

-- The sketch of the content with this content_hash. If the row in file has another hash, the file has changed since
-- then. cluster is a key that very similar files share.
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

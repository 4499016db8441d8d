-- Version 5: sketches of other measures, for files that were indexed with --measure. docs/measures.md
-- describes the measures.

-- `name` is the measure with all its parameters, such as 'minhash:bytes=8,functions=128,cluster=4'.
CREATE TABLE measure (
	id   INTEGER NOT NULL PRIMARY KEY,
	name TEXT    NOT NULL UNIQUE
);

-- The sketch of the content with this content_hash. If the row in file has another hash, the file has changed since
-- then. cluster is a key that very similar files share.
CREATE TABLE sketch (
	tag_set      INTEGER NOT NULL,
	host         INTEGER NOT NULL,
	path_hash    BLOB    NOT NULL,
	measure      INTEGER NOT NULL,
	content_hash BLOB    NOT NULL,
	features     INTEGER NOT NULL,
	cluster      INTEGER NOT NULL,
	value        BLOB    NOT NULL,
	PRIMARY KEY (tag_set, host, path_hash, measure)
) WITHOUT ROWID;

CREATE INDEX sketch_cluster ON sketch (measure, cluster);

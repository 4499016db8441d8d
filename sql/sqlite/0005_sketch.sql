-- Version 5: sketches of other measures, beside the sum tables: of the files that were
-- indexed with --measure. docs/measures.md tells of the measures.

-- `name` is the measure with all its parameters, such as 'minhash:bytes=8,functions=128,cluster=4'.
CREATE TABLE measure (
	id   INTEGER NOT NULL PRIMARY KEY,
	name TEXT    NOT NULL UNIQUE
);

-- The sketch of a file's content, which content_hash tells: where that of the row in file is
-- another, the file has changed since. cluster is a key that much alike files have in common.
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

-- Sketches that are those of the files as they were indexed last, with their paths.
CREATE VIEW sketched_file AS
SELECT m.name AS measure, t.name AS tag_set, h.name AS host,
	CASE WHEN f.directory = X'2f' THEN '' ELSE CAST(f.directory AS TEXT) END
		|| '/' || CAST(f.name AS TEXT) AS path,
	f.size, s.features, s.cluster, lower(hex(s.value)) AS value,
	lower(hex(s.content_hash)) AS content_hash
FROM sketch s JOIN measure m ON m.id = s.measure
JOIN file f ON f.tag_set = s.tag_set AND f.host = s.host AND f.path_hash = s.path_hash
	AND f.content_hash = s.content_hash
JOIN tag_set t ON t.id = s.tag_set JOIN host h ON h.id = s.host
WHERE s.features > 0;

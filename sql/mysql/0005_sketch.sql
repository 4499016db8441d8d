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

-- Sketches that are those of the files as they were indexed last, with their paths.
CREATE OR REPLACE VIEW sketched_file AS
SELECT m.name AS measure, t.name AS tag_set, h.name AS host,
	CONCAT(CASE WHEN f.directory = X'2f' THEN '' ELSE CONVERT(f.directory USING utf8mb4) END,
		'/', CONVERT(f.name USING utf8mb4)) AS path,
	f.size, s.features, s.cluster, LOWER(HEX(s.value)) AS value,
	LOWER(HEX(s.content_hash)) AS content_hash
FROM sketch s JOIN measure m ON m.id = s.measure
JOIN file f ON f.tag_set = s.tag_set AND f.host = s.host AND f.path_hash = s.path_hash
	AND f.content_hash = s.content_hash
JOIN tag_set t ON t.id = s.tag_set JOIN host h ON h.id = s.host
WHERE s.features > 0;

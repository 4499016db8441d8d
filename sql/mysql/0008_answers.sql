-- Version 8: what simfind --store found, for SQL: groups of similar files, and pairs. A row names
-- the contents that its files had; where that of the row in file is another, the file has
-- changed since, and no view shows the row. Each statement may be run again.

-- A run of simfind --store. `state` is 'begun', 'current' or 'replaced': a tag set has one current
-- run at most, the only one that the views show. `host` is where it ran, `options` its command.
-- pair_count is NULL where pairs were not looked for.
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

-- A file, of the tag set of the run, in its group, and what is known of it and the representative:
-- resemblance is NULL where it is not known.
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

-- A pair of files, of the tag set of the run. contained_a is the share of a that is found in b, where
-- that is known.
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

CREATE OR REPLACE VIEW find_run_text AS
SELECT r.id, t.name AS tag_set, r.host, CONVERT(r.options USING utf8mb4) AS options, r.program_version, r.state,
	DATE_ADD('1970-01-01', INTERVAL r.started_at_ns DIV 1000000000 SECOND) AS started_utc,
	DATE_ADD('1970-01-01', INTERVAL r.finished_at_ns DIV 1000000000 SECOND) AS finished_utc,
	r.group_count, r.file_count, r.pair_count, r.stored_pair_count,
	CASE WHEN r.pair_count = r.stored_pair_count THEN 1 ELSE 0 END AS has_all_pairs
FROM find_run r JOIN tag_set t ON t.id = r.tag_set;

-- Files in groups whose content is still the same.
CREATE OR REPLACE VIEW live_member AS
SELECT g.run, r.tag_set, g.host, g.path_hash, g.content_hash, g.group_id, g.role,
	g.representative_host, g.representative_hash, g.distance, g.resemblance, g.verified,
	f.directory, f.name, f.extension, f.size, f.mtime_ns
FROM find_run r JOIN file_group g ON g.run = r.id
JOIN file f ON f.tag_set = r.tag_set AND f.host = g.host AND f.path_hash = g.path_hash
	AND f.content_hash = g.content_hash
WHERE r.state = 'current';

-- The files of groups of which the representative and another file are left. Engines take `run` for
-- more selective than it is, so the index is named by which the others of a group are found.
CREATE OR REPLACE VIEW shown_member AS
SELECT m.run, m.tag_set, m.host, m.path_hash, m.content_hash, m.group_id, m.role,
	m.representative_host, m.representative_hash, m.distance, m.resemblance, m.verified,
	m.directory, m.name, m.extension, m.size, m.mtime_ns,
	c.content_hash AS representative_content, c.directory AS representative_directory,
	c.name AS representative_name
FROM live_member m
JOIN live_member c ON c.run = m.run AND c.path_hash = m.representative_hash
	AND c.host = m.representative_host
WHERE m.role <> 'representative' OR EXISTS (
	SELECT 1 FROM file_group o FORCE INDEX (file_group_representative)
		STRAIGHT_JOIN file p ON p.tag_set = m.tag_set AND p.host = o.host
			AND p.path_hash = o.path_hash AND p.content_hash = o.content_hash
	WHERE o.run = m.run AND o.representative_hash = m.representative_hash
		AND o.representative_host = m.representative_host AND o.role <> 'representative');

-- The same for people. A copy whose original is not left is a member.
CREATE OR REPLACE VIEW grouped_file AS
SELECT m.run, t.name AS tag_set, m.group_id,
	CASE WHEN m.role = 'copy' AND m.content_hash <> m.representative_content AND NOT EXISTS (
		SELECT 1 FROM file_group o FORCE INDEX (file_group_representative)
		STRAIGHT_JOIN file p ON p.tag_set = m.tag_set AND p.host = o.host
			AND p.path_hash = o.path_hash AND p.content_hash = o.content_hash
		WHERE o.run = m.run AND o.representative_hash = m.representative_hash
			AND o.representative_host = m.representative_host
			AND o.content_hash = m.content_hash AND o.role <> 'copy')
		THEN 'member' ELSE m.role END AS role,
	h.name AS host,
	CONCAT(CASE WHEN m.directory = X'2f' THEN '' ELSE CONVERT(m.directory USING utf8mb4) END,
		'/', CONVERT(m.name USING utf8mb4)) AS path,
	CONVERT(m.directory USING utf8mb4) AS directory, CONVERT(m.name USING utf8mb4) AS name,
	CONVERT(m.extension USING utf8mb4) AS extension, m.size,
	DATE_ADD('1970-01-01', INTERVAL m.mtime_ns DIV 1000000000 SECOND) AS modified_utc,
	LOWER(HEX(m.content_hash)) AS content_hash, m.distance, m.resemblance, m.verified,
	k.name AS representative_host,
	CONCAT(CASE WHEN m.representative_directory = X'2f' THEN '' ELSE CONVERT(m.representative_directory USING utf8mb4) END,
		'/', CONVERT(m.representative_name USING utf8mb4)) AS representative_path
FROM shown_member m
JOIN tag_set t ON t.id = m.tag_set JOIN host h ON h.id = m.host
JOIN host k ON k.id = m.representative_host;

-- Files that are in no group of the current run, or have changed since.
CREATE OR REPLACE VIEW ungrouped_file AS
SELECT r.id AS run, t.name AS tag_set, h.name AS host,
	CONCAT(CASE WHEN f.directory = X'2f' THEN '' ELSE CONVERT(f.directory USING utf8mb4) END,
		'/', CONVERT(f.name USING utf8mb4)) AS path,
	CONVERT(f.directory USING utf8mb4) AS directory, CONVERT(f.name USING utf8mb4) AS name,
	CONVERT(f.extension USING utf8mb4) AS extension, f.size,
	DATE_ADD('1970-01-01', INTERVAL f.mtime_ns DIV 1000000000 SECOND) AS modified_utc,
	LOWER(HEX(f.content_hash)) AS content_hash
FROM find_run r JOIN file f ON f.tag_set = r.tag_set
JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host
WHERE r.state = 'current' AND NOT EXISTS (
	SELECT 1 FROM shown_member m
	WHERE m.run = r.id AND m.path_hash = f.path_hash AND m.host = f.host);

-- Groups, with the bytes of all files and of those that are copies of another one that is left.
CREATE OR REPLACE VIEW similar_group AS
SELECT g.run, t.name AS tag_set, g.group_id, SUM(g.files) AS files, SUM(g.bytes) AS bytes,
	SUM(g.copies) AS copies, SUM(g.copies * g.size) AS copied_bytes,
	h.name AS representative_host,
	CONCAT(CASE WHEN c.directory = X'2f' THEN '' ELSE CONVERT(c.directory USING utf8mb4) END,
		'/', CONVERT(c.name USING utf8mb4)) AS representative_path
FROM (
	SELECT m.run, m.group_id, m.representative_hash, m.representative_host,
		COUNT(*) AS files, SUM(m.size) AS bytes, MIN(m.size) AS size,
		LEAST(SUM(CASE WHEN m.role = 'copy' THEN 1 ELSE 0 END), COUNT(*) - 1) AS copies
	FROM live_member m
	GROUP BY m.run, m.group_id, m.representative_hash, m.representative_host, m.content_hash
) g
JOIN live_member c ON c.run = g.run AND c.path_hash = g.representative_hash
	AND c.host = g.representative_host
JOIN tag_set t ON t.id = c.tag_set JOIN host h ON h.id = c.host
GROUP BY g.run, t.name, g.group_id, h.name, c.directory, c.name, c.path_hash
HAVING SUM(g.files) > 1;

-- The pairs whose files still have the same content.
CREATE OR REPLACE VIEW found_pair AS
SELECT p.run, t.name AS tag_set, p.distance, p.is_copy, p.resemblance, p.verified,
	p.contained_a, p.contained_b,
	a.size AS size_a, b.size AS size_b, h.name AS host_a,
	CONCAT(CASE WHEN a.directory = X'2f' THEN '' ELSE CONVERT(a.directory USING utf8mb4) END,
		'/', CONVERT(a.name USING utf8mb4)) AS path_a,
	k.name AS host_b,
	CONCAT(CASE WHEN b.directory = X'2f' THEN '' ELSE CONVERT(b.directory USING utf8mb4) END,
		'/', CONVERT(b.name USING utf8mb4)) AS path_b,
	CONVERT(a.extension USING utf8mb4) AS extension_a,
	CONVERT(b.extension USING utf8mb4) AS extension_b
FROM find_run r JOIN file_pair p ON p.run = r.id
JOIN file a ON a.tag_set = r.tag_set AND a.host = p.host_a AND a.path_hash = p.path_hash_a
	AND a.content_hash = p.content_hash_a
JOIN file b ON b.tag_set = r.tag_set AND b.host = p.host_b AND b.path_hash = p.path_hash_b
	AND b.content_hash = p.content_hash_b
JOIN tag_set t ON t.id = r.tag_set JOIN host h ON h.id = p.host_a JOIN host k ON k.id = p.host_b
WHERE r.state = 'current';

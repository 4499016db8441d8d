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

CREATE VIEW find_run_text AS
SELECT r.id, t.name AS tag_set, r.host, CAST(r.options AS TEXT) AS options, r.program_version, r.state,
	strftime('%Y-%m-%d %H:%M:%S', r.started_at_ns / 1000000000, 'unixepoch') AS started_utc,
	strftime('%Y-%m-%d %H:%M:%S', r.finished_at_ns / 1000000000, 'unixepoch') AS finished_utc,
	r.group_count, r.file_count, r.pair_count, r.stored_pair_count,
	CASE WHEN r.pair_count = r.stored_pair_count THEN 1 ELSE 0 END AS has_all_pairs
FROM find_run r JOIN tag_set t ON t.id = r.tag_set;

-- Files in groups whose content is still the same.
CREATE VIEW live_member AS
SELECT g.run, r.tag_set, g.host, g.path_hash, g.content_hash, g.group_id, g.role,
	g.representative_host, g.representative_hash, g.distance, g.resemblance, g.verified,
	f.directory, f.name, f.extension, f.size, f.mtime_ns
FROM find_run r JOIN file_group g ON g.run = r.id
JOIN file f ON f.tag_set = r.tag_set AND f.host = g.host AND f.path_hash = g.path_hash
	AND f.content_hash = g.content_hash
WHERE r.state = 'current';

-- The files of groups of which the representative and another file are left. Engines take `run` for
-- more selective than it is, so the index is named by which the others of a group are found.
CREATE VIEW shown_member AS
SELECT m.run, m.tag_set, m.host, m.path_hash, m.content_hash, m.group_id, m.role,
	m.representative_host, m.representative_hash, m.distance, m.resemblance, m.verified,
	m.directory, m.name, m.extension, m.size, m.mtime_ns,
	c.content_hash AS representative_content, c.directory AS representative_directory,
	c.name AS representative_name
FROM live_member m
JOIN live_member c ON c.run = m.run AND c.path_hash = m.representative_hash
	AND c.host = m.representative_host
WHERE m.role <> 'representative' OR EXISTS (
	SELECT 1 FROM file_group o INDEXED BY file_group_representative
		CROSS JOIN file p ON p.tag_set = m.tag_set AND p.host = o.host
			AND p.path_hash = o.path_hash AND p.content_hash = o.content_hash
	WHERE o.run = m.run AND o.representative_hash = m.representative_hash
		AND o.representative_host = m.representative_host AND o.role <> 'representative');

-- The same for people. A copy whose original is not left is a member.
CREATE VIEW grouped_file AS
SELECT m.run, t.name AS tag_set, m.group_id,
	CASE WHEN m.role = 'copy' AND m.content_hash <> m.representative_content AND NOT EXISTS (
		SELECT 1 FROM file_group o INDEXED BY file_group_representative
		CROSS JOIN file p ON p.tag_set = m.tag_set AND p.host = o.host
			AND p.path_hash = o.path_hash AND p.content_hash = o.content_hash
		WHERE o.run = m.run AND o.representative_hash = m.representative_hash
			AND o.representative_host = m.representative_host
			AND o.content_hash = m.content_hash AND o.role <> 'copy')
		THEN 'member' ELSE m.role END AS role,
	h.name AS host,
	CASE WHEN m.directory = X'2f' THEN '' ELSE CAST(m.directory AS TEXT) END
		|| '/' || CAST(m.name AS TEXT) AS path,
	CAST(m.directory AS TEXT) AS directory, CAST(m.name AS TEXT) AS name,
	CAST(m.extension AS TEXT) AS extension, m.size,
	strftime('%Y-%m-%d %H:%M:%S', m.mtime_ns / 1000000000, 'unixepoch') AS modified_utc,
	lower(hex(m.content_hash)) AS content_hash, m.distance, m.resemblance, m.verified,
	k.name AS representative_host,
	CASE WHEN m.representative_directory = X'2f' THEN '' ELSE CAST(m.representative_directory AS TEXT) END
		|| '/' || CAST(m.representative_name AS TEXT) AS representative_path
FROM shown_member m
JOIN tag_set t ON t.id = m.tag_set JOIN host h ON h.id = m.host
JOIN host k ON k.id = m.representative_host;

-- Files that are in no group of the current run, or have changed since.
CREATE VIEW ungrouped_file AS
SELECT r.id AS run, t.name AS tag_set, h.name AS host,
	CASE WHEN f.directory = X'2f' THEN '' ELSE CAST(f.directory AS TEXT) END
		|| '/' || CAST(f.name AS TEXT) AS path,
	CAST(f.directory AS TEXT) AS directory, CAST(f.name AS TEXT) AS name,
	CAST(f.extension AS TEXT) AS extension, f.size,
	strftime('%Y-%m-%d %H:%M:%S', f.mtime_ns / 1000000000, 'unixepoch') AS modified_utc,
	lower(hex(f.content_hash)) AS content_hash
FROM find_run r JOIN file f ON f.tag_set = r.tag_set
JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host
WHERE r.state = 'current' AND NOT EXISTS (
	SELECT 1 FROM shown_member m
	WHERE m.run = r.id AND m.path_hash = f.path_hash AND m.host = f.host);

-- Groups, with the bytes of all files and of those that are copies of another one that is left.
CREATE VIEW similar_group AS
SELECT g.run, t.name AS tag_set, g.group_id, SUM(g.files) AS files, SUM(g.bytes) AS bytes,
	SUM(g.copies) AS copies, SUM(g.copies * g.size) AS copied_bytes,
	h.name AS representative_host,
	CASE WHEN c.directory = X'2f' THEN '' ELSE CAST(c.directory AS TEXT) END
		|| '/' || CAST(c.name AS TEXT) AS representative_path
FROM (
	SELECT m.run, m.group_id, m.representative_hash, m.representative_host,
		COUNT(*) AS files, SUM(m.size) AS bytes, MIN(m.size) AS size,
		min(SUM(CASE WHEN m.role = 'copy' THEN 1 ELSE 0 END), COUNT(*) - 1) AS copies
	FROM live_member m
	GROUP BY m.run, m.group_id, m.representative_hash, m.representative_host, m.content_hash
) g
JOIN live_member c ON c.run = g.run AND c.path_hash = g.representative_hash
	AND c.host = g.representative_host
JOIN tag_set t ON t.id = c.tag_set JOIN host h ON h.id = c.host
GROUP BY g.run, t.name, g.group_id, h.name, c.directory, c.name, c.path_hash
HAVING SUM(g.files) > 1;

-- The pairs whose files still have the same content.
CREATE VIEW found_pair AS
SELECT p.run, t.name AS tag_set, p.distance, p.is_copy, p.resemblance, p.verified,
	p.contained_a, p.contained_b,
	a.size AS size_a, b.size AS size_b, h.name AS host_a,
	CASE WHEN a.directory = X'2f' THEN '' ELSE CAST(a.directory AS TEXT) END
		|| '/' || CAST(a.name AS TEXT) AS path_a,
	k.name AS host_b,
	CASE WHEN b.directory = X'2f' THEN '' ELSE CAST(b.directory AS TEXT) END
		|| '/' || CAST(b.name AS TEXT) AS path_b,
	CAST(a.extension AS TEXT) AS extension_a,
	CAST(b.extension AS TEXT) AS extension_b
FROM find_run r JOIN file_pair p ON p.run = r.id
JOIN file a ON a.tag_set = r.tag_set AND a.host = p.host_a AND a.path_hash = p.path_hash_a
	AND a.content_hash = p.content_hash_a
JOIN file b ON b.tag_set = r.tag_set AND b.host = p.host_b AND b.path_hash = p.path_hash_b
	AND b.content_hash = p.content_hash_b
JOIN tag_set t ON t.id = r.tag_set JOIN host h ON h.id = p.host_a JOIN host k ON k.id = p.host_b
WHERE r.state = 'current';

-- The views of an index, for SQLite. simhash runs this script when it creates or upgrades an index, and for
-- --init-database. This also repairs missing and damaged views. docs/sql.md describes the views.

DROP VIEW IF EXISTS file_text;
DROP VIEW IF EXISTS duplicate;
DROP VIEW IF EXISTS extension_statistics;
DROP VIEW IF EXISTS key_space;
DROP VIEW IF EXISTS run_text;
DROP VIEW IF EXISTS sketched_file;
DROP VIEW IF EXISTS near_pair;
DROP VIEW IF EXISTS similar_pair;
DROP VIEW IF EXISTS near_file;
DROP VIEW IF EXISTS similar_file;
DROP VIEW IF EXISTS find_run_text;
DROP VIEW IF EXISTS live_member;
DROP VIEW IF EXISTS shown_member;
DROP VIEW IF EXISTS grouped_file;
DROP VIEW IF EXISTS ungrouped_file;
DROP VIEW IF EXISTS similar_group;
DROP VIEW IF EXISTS part_of;
DROP VIEW IF EXISTS found_pair;
DROP VIEW IF EXISTS file_copies;
DROP VIEW IF EXISTS damaged_file;

-- Files, with names instead of ids and with paths as text. All names of one file have the same file_id. For a file
-- without an inode and for an archive member, file_id is made from the path.
CREATE VIEW file_text AS
SELECT t.name AS tag_set, h.name AS host, CASE WHEN f.directory = X'2f' THEN '' ELSE CAST(f.directory AS TEXT) END
		|| '/' || CAST(f.name AS TEXT) AS path,
	CAST(f.directory AS TEXT) AS directory, CAST(f.name AS TEXT) AS name,
	CAST(f.extension AS TEXT) AS extension, f.size, f.compressed_size, f.links,
	f.device, f.inode, CASE WHEN f.inode = 0 OR f.compressed_size > 0 THEN f.host || ':' || hex(f.path_hash)
		ELSE f.host || ':' || f.device || ':' || f.inode END AS file_id,
	strftime('%Y-%m-%d %H:%M:%S', f.mtime_ns / 1000000000, 'unixepoch') AS modified_utc,
	f.mtime_ns / 1000000000 AS modified_at, f.mtime_ns AS modified_at_ns,
	lower(hex(f.content_hash)) AS content_hash,
	f.sum_00, f.sum_01, f.sum_02, f.sum_03, f.sum_04, f.sum_05, f.sum_06, f.sum_07,
	f.sum_08, f.sum_09, f.sum_10, f.sum_11, f.sum_12, f.sum_13, f.sum_14, f.sum_15,
	f.uniform, f.scatter, f.skew, f.uniform_ext, f.scatter_ext, f.skew_ext,
	CASE WHEN length(f.resemblance_sketch) = 144 THEN lower(hex(substr(f.resemblance_sketch, 129))) END AS text_hash
FROM file f JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host;

-- Names of one file count once. Archive members are left out, because they cannot be removed.
CREATE VIEW duplicate AS
SELECT (SELECT name FROM tag_set WHERE id = d.tag_set) AS tag_set, lower(hex(d.content_hash)) AS content_hash, d.size,
	COUNT(*) AS files,
	d.size * (COUNT(*) - 1) AS spare_bytes
FROM (
	SELECT DISTINCT tag_set, host, content_hash, size, device, inode,
		CASE WHEN inode = 0 THEN path_hash ELSE X'' END AS own_path
	FROM file WHERE size > 0 AND compressed_size = 0
) d
GROUP BY d.tag_set, d.content_hash, d.size HAVING COUNT(*) > 1;

-- Each file with the number of file systems and hosts that have its content, also inside archives. A file whose content
-- is on one of them has the only copy, or all copies are on one disk.
CREATE VIEW file_copies AS
SELECT t.name AS tag_set, h.name AS host, CASE WHEN f.directory = X'2f' THEN '' ELSE CAST(f.directory AS TEXT) END
		|| '/' || CAST(f.name AS TEXT) AS path,
	CAST(f.directory AS TEXT) AS directory, f.size, f.mtime_ns / 1000000000 AS modified_at,
	c.file_systems, c.hosts, c.files, lower(hex(f.content_hash)) AS content_hash
FROM (
	SELECT tag_set, content_hash, size, COUNT(DISTINCT host || ':' || device) AS file_systems,
		COUNT(DISTINCT host) AS hosts, COUNT(*) AS files
	FROM file WHERE size > 0 AND contents & 268435456 = 0 GROUP BY tag_set, content_hash, size
) c
JOIN file f ON f.tag_set = c.tag_set AND f.content_hash = c.content_hash AND f.size = c.size
JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host
WHERE f.compressed_size = 0;

-- Files that were damaged, as simhash --scrub found them. A file that was read for the index or verified later is left
-- out.
CREATE VIEW damaged_file AS
SELECT t.name AS tag_set, h.name AS host, CASE WHEN f.directory = X'2f' THEN '' ELSE CAST(f.directory AS TEXT) END
		|| '/' || CAST(f.name AS TEXT) AS path,
	f.size, d.found_size, d.found_at_ns / 1000000000 AS found_at,
	strftime('%Y-%m-%d %H:%M:%S', d.found_at_ns / 1000000000, 'unixepoch') AS found_utc,
	d.verified_at_ns / 1000000000 AS verified_at,
	strftime('%Y-%m-%d %H:%M:%S', d.verified_at_ns / 1000000000, 'unixepoch') AS verified_utc,
	CASE WHEN d.is_unreadable <> 0 THEN 'unreadable' WHEN d.status_moved <> 0 THEN 'time restored' ELSE 'damaged' END AS kind,
	d.different_bytes, d.compared_bytes, d.first_byte, d.last_byte, d.resemblance,
	lower(hex(f.content_hash)) AS content_hash, lower(hex(d.found_hash)) AS found_hash
FROM damage d JOIN file f ON f.tag_set = d.tag_set AND f.host = d.host AND f.path_hash = d.path_hash
	AND f.content_hash = d.content_hash AND f.scanned_at_ns <= d.found_at_ns AND f.verified_at_ns <= d.found_at_ns
JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host;

CREATE VIEW extension_statistics AS
SELECT t.name AS tag_set, CAST(e.extension AS TEXT) AS extension, e.files, e.bytes,
	e.least_skew, e.largest_skew, e.least_skew_ext, e.largest_skew_ext
FROM (
	SELECT tag_set, extension, COUNT(*) AS files, SUM(size) AS bytes,
		MIN(skew) AS least_skew, MAX(skew) AS largest_skew,
		MIN(skew_ext) AS least_skew_ext, MAX(skew_ext) AS largest_skew_ext
	FROM file GROUP BY tag_set, extension
) e JOIN tag_set t ON t.id = e.tag_set;

-- The key range of each extension, by size.
CREATE VIEW key_space AS
SELECT t.name AS tag_set, CAST(e.extension AS TEXT) AS extension, c.class AS size_class,
	c.low AS from_size, e.files, e.bytes,
	e.least_skew, e.largest_skew, e.least_skew_ext, e.largest_skew_ext
FROM (
	SELECT tag_set, extension, bucket / 281474976710656 AS size_class,
		COUNT(*) AS files, SUM(size) AS bytes, MIN(skew) AS least_skew, MAX(skew) AS largest_skew,
		MIN(skew_ext) AS least_skew_ext, MAX(skew_ext) AS largest_skew_ext
	FROM file WHERE size > 0 GROUP BY tag_set, extension, bucket / 281474976710656
) e JOIN tag_set t ON t.id = e.tag_set JOIN size_class c ON c.class = e.size_class;

CREATE VIEW run_text AS
SELECT r.id, h.name AS host, t.name AS tag_set, CAST(r.root AS TEXT) AS root,
	strftime('%Y-%m-%d %H:%M:%S', r.started_at_ns / 1000000000, 'unixepoch') AS started_utc,
	strftime('%Y-%m-%d %H:%M:%S', r.finished_at_ns / 1000000000, 'unixepoch') AS finished_utc,
	r.started_at_ns / 1000000000 AS started_at, r.finished_at_ns / 1000000000 AS finished_at,
	r.files, r.bytes, r.errors
FROM scan_run r JOIN host h ON h.id = r.host JOIN tag_set t ON t.id = r.tag_set;

-- Sketches of files, with paths. Sketches of an earlier content are left out.
CREATE VIEW sketched_file AS
SELECT m.name AS measure, t.name AS tag_set, h.name AS host, CASE WHEN f.directory = X'2f' THEN '' ELSE CAST(f.directory AS TEXT) END
		|| '/' || CAST(f.name AS TEXT) AS path,
	f.size, s.features, s.cluster, lower(hex(s.value)) AS value,
	lower(hex(s.content_hash)) AS content_hash
FROM sketch s JOIN measure m ON m.id = s.measure
JOIN file f ON f.tag_set = s.tag_set AND f.host = s.host AND f.path_hash = s.path_hash
	AND f.content_hash = s.content_hash
JOIN tag_set t ON t.id = s.tag_set JOIN host h ON h.id = s.host
WHERE s.features > 0;

-- Pairs of files whose sizes, keys and sums are near to each other, with the distance of their sum tables. Each pair is
-- listed once, with the smaller file first. Names of one file are not a pair. j and k are entries of the index on cell;
-- a and b are their rows. The larger file is in the size class of the smaller file or in the next size class, in one of
-- 2 by 2 cells of each class. The table size_class is also used as a list of the numbers 0 and 1.
CREATE VIEW near_pair AS
SELECT a.tag_set, a.host AS host_a, a.directory AS directory_a, a.name AS name_a,
	a.extension AS extension_a, j.size AS size_a, b.host AS host_b,
	b.directory AS directory_b, b.name AS name_b, b.extension AS extension_b, k.size AS size_b,
	CASE WHEN a.size = b.size AND a.content_hash = b.content_hash THEN 1 ELSE 0 END AS is_copy,
	abs(a.sum_00 - b.sum_00) + abs(a.sum_01 - b.sum_01) + abs(a.sum_02 - b.sum_02)
		+ abs(a.sum_03 - b.sum_03) + abs(a.sum_04 - b.sum_04) + abs(a.sum_05 - b.sum_05)
		+ abs(a.sum_06 - b.sum_06) + abs(a.sum_07 - b.sum_07) + abs(a.sum_08 - b.sum_08)
		+ abs(a.sum_09 - b.sum_09) + abs(a.sum_10 - b.sum_10) + abs(a.sum_11 - b.sum_11)
		+ abs(a.sum_12 - b.sum_12) + abs(a.sum_13 - b.sum_13) + abs(a.sum_14 - b.sum_14)
		+ abs(a.sum_15 - b.sum_15) AS distance
FROM file j
CROSS JOIN size_class s ON s.class >= j.cell / 16777216
	AND s.class <= j.cell / 16777216 + 1
CROSS JOIN size_class di ON di.class <= 1
CROSS JOIN size_class dj ON dj.class <= 1
CROSS JOIN file k ON k.tag_set = j.tag_set
	AND k.cell = s.class * 16777216
		+ ((j.signed_1 * s.has_sums + s.middle) / (2 * s.reach) + di.class) * 4096
		+ (j.signed_2 * s.has_sums + s.middle) / (2 * s.reach) + dj.class
	AND k.uniform BETWEEN j.uniform - min(s.reach, j.size / 80 + 2)
		AND j.uniform + min(s.reach, j.size / 80 + 2)
	AND k.size >= j.size AND 2 * k.size <= 3 * j.size
	AND abs(k.skew_ext - j.skew_ext) <= max(1, k.size / 100)
	AND abs(k.signed_1 - j.signed_1 * s.has_sums) <= max(1, (j.size + k.size) / 200)
	AND abs(k.signed_2 - j.signed_2 * s.has_sums) <= max(1, (j.size + k.size) / 200)
	AND (k.size > j.size OR k.host > j.host OR (k.host = j.host AND k.path_hash > j.path_hash))
CROSS JOIN file a ON a.tag_set = j.tag_set AND a.host = j.host AND a.path_hash = j.path_hash
CROSS JOIN file b ON b.tag_set = k.tag_set AND b.host = k.host AND b.path_hash = k.path_hash
WHERE +j.size > 0 AND (a.inode <> b.inode OR a.device <> b.device OR a.host <> b.host OR a.inode = 0
		OR a.compressed_size > 0 OR b.compressed_size > 0 OR a.content_hash <> b.content_hash);

-- All pairs of files whose counts and default keys differ by at most 1 percent.
CREATE VIEW similar_pair AS
SELECT (SELECT name FROM tag_set WHERE id = p.tag_set) AS tag_set, p.distance, 200.0 * p.distance / (p.size_a + p.size_b) AS count_difference,
	p.is_copy, p.size_a, p.size_b, (SELECT name FROM host WHERE id = p.host_a) AS host_a,
	CASE WHEN p.directory_a = X'2f' THEN '' ELSE CAST(p.directory_a AS TEXT) END
		|| '/' || CAST(p.name_a AS TEXT) AS path_a,
	CAST(p.directory_a AS TEXT) AS directory_a,
	(SELECT name FROM host WHERE id = p.host_b) AS host_b,
	CASE WHEN p.directory_b = X'2f' THEN '' ELSE CAST(p.directory_b AS TEXT) END
		|| '/' || CAST(p.name_b AS TEXT) AS path_b,
	CAST(p.directory_b AS TEXT) AS directory_b,
	CAST(p.extension_a AS TEXT) AS extension_a, CAST(p.extension_b AS TEXT) AS extension_b
FROM near_pair p
WHERE 200 * p.distance <= max(200, p.size_a + p.size_b);

-- The files similar to one file. The query names this file by host, directory and name, and an index finds each of the
-- three. The condition on uniform is written so that no index can be used for it. Otherwise SQLite would choose the
-- index on uniform.
CREATE VIEW near_file AS
SELECT h.name AS host, t.name AS tag_set, CAST(d.path AS TEXT) AS directory, CAST(a.name AS TEXT) AS name,
	a.size AS size_a, b.size, b.host AS host_b, b.directory AS directory_b, b.name AS name_b,
	CASE WHEN a.size = b.size AND a.content_hash = b.content_hash THEN 1 ELSE 0 END AS is_copy,
	abs(a.sum_00 - b.sum_00) + abs(a.sum_01 - b.sum_01) + abs(a.sum_02 - b.sum_02)
		+ abs(a.sum_03 - b.sum_03) + abs(a.sum_04 - b.sum_04) + abs(a.sum_05 - b.sum_05)
		+ abs(a.sum_06 - b.sum_06) + abs(a.sum_07 - b.sum_07) + abs(a.sum_08 - b.sum_08)
		+ abs(a.sum_09 - b.sum_09) + abs(a.sum_10 - b.sum_10) + abs(a.sum_11 - b.sum_11)
		+ abs(a.sum_12 - b.sum_12) + abs(a.sum_13 - b.sum_13) + abs(a.sum_14 - b.sum_14)
		+ abs(a.sum_15 - b.sum_15) AS distance
FROM host h
CROSS JOIN tag_set t
CROSS JOIN directory d ON d.tag_set = t.id AND d.host = h.id
CROSS JOIN file a ON a.tag_set = d.tag_set AND a.host = d.host
	AND a.path_hash BETWEEN CAST(d.directory_hash || X'0000000000000000' AS BLOB)
		AND CAST(d.directory_hash || X'ffffffffffffffff' AS BLOB)
CROSS JOIN size_class down ON down.class <= 2
CROSS JOIN size_class s ON s.class = a.cell / 16777216 - 1 + down.class
CROSS JOIN size_class r ON r.class = max(s.class, a.cell / 16777216)
CROSS JOIN size_class di ON di.class <= 2
CROSS JOIN size_class dj ON dj.class <= 2
CROSS JOIN file k ON k.tag_set = t.id
	AND k.cell = s.class * 16777216
		+ ((a.signed_1 * s.has_sums + s.middle + s.reach - r.reach) / (2 * s.reach) + di.class) * 4096
		+ (a.signed_2 * s.has_sums + s.middle + s.reach - r.reach) / (2 * s.reach) + dj.class
	AND k.uniform - a.uniform BETWEEN -r.reach AND r.reach
	AND 2 * k.size <= 3 * a.size AND 2 * a.size <= 3 * k.size
	AND abs(k.skew_ext - a.skew_ext) <= max(1, k.size / 100, a.size / 100)
	AND abs(k.signed_1 - a.signed_1 * s.has_sums) <= max(1, (a.size + k.size) / 200)
	AND abs(k.signed_2 - a.signed_2 * s.has_sums) <= max(1, (a.size + k.size) / 200)
	AND (k.host <> a.host OR k.path_hash <> a.path_hash)
CROSS JOIN file b ON b.tag_set = k.tag_set AND b.host = k.host AND b.path_hash = k.path_hash
WHERE a.size > 0 AND (a.inode <> b.inode OR a.device <> b.device OR a.host <> b.host OR a.inode = 0
		OR a.compressed_size > 0 OR b.compressed_size > 0 OR a.content_hash <> b.content_hash);

CREATE VIEW similar_file AS
SELECT f.host, f.tag_set, f.directory, f.name, f.distance,
	200.0 * f.distance / (f.size_a + f.size) AS count_difference, f.is_copy, f.size,
	(SELECT name FROM host WHERE id = f.host_b) AS similar_host,
	CASE WHEN f.directory_b = X'2f' THEN '' ELSE CAST(f.directory_b AS TEXT) END
		|| '/' || CAST(f.name_b AS TEXT) AS similar_path
FROM near_file f
WHERE 200 * f.distance <= max(200, f.size_a + f.size);

CREATE VIEW find_run_text AS
SELECT r.id, t.name AS tag_set, r.host, CAST(r.options AS TEXT) AS options, r.program_version, r.state,
	strftime('%Y-%m-%d %H:%M:%S', r.started_at_ns / 1000000000, 'unixepoch') AS started_utc,
	strftime('%Y-%m-%d %H:%M:%S', r.finished_at_ns / 1000000000, 'unixepoch') AS finished_utc,
	r.started_at_ns / 1000000000 AS started_at, r.finished_at_ns / 1000000000 AS finished_at,
	r.group_count, r.file_count, r.pair_count, r.stored_pair_count,
	CASE WHEN r.pair_count = r.stored_pair_count THEN 1 ELSE 0 END AS has_all_pairs
FROM find_run r JOIN tag_set t ON t.id = r.tag_set;

-- Files in groups that still have the same content. The joins have a fixed order, because without
-- statistics SQLite can choose an order that takes minutes.
CREATE VIEW live_member AS
SELECT g.run, r.tag_set, g.host, g.path_hash, g.content_hash, g.group_id, g.role,
	g.representative_host, g.representative_hash, g.distance, g.resemblance, g.verified,
	f.directory, f.name, f.extension, f.size, f.mtime_ns, f.links, f.device, f.inode,
	CASE WHEN f.inode = 0 OR f.compressed_size > 0 THEN f.host || ':' || hex(f.path_hash)
		ELSE f.host || ':' || f.device || ':' || f.inode END AS file_id
FROM find_run r CROSS JOIN file_group g ON g.run = r.id
CROSS JOIN file f ON f.tag_set = r.tag_set AND f.host = g.host AND f.path_hash = g.path_hash
	AND f.content_hash = g.content_hash
WHERE r.state = 'current';

-- Files in groups, if the first file of the group and another file still exist. Engines expect too few rows with one
-- value of `run`, so this view names the index that finds the other files of a group.
CREATE VIEW shown_member AS
SELECT m.run, m.tag_set, m.host, m.path_hash, m.content_hash, m.group_id, m.role,
	m.representative_host, m.representative_hash, m.distance, m.resemblance, m.verified,
	m.directory, m.name, m.extension, m.size, m.mtime_ns, m.links, m.device, m.inode, m.file_id,
	c.content_hash AS representative_content, c.directory AS representative_directory,
	c.name AS representative_name
FROM live_member m
CROSS JOIN live_member c ON c.run = m.run AND c.path_hash = m.representative_hash
	AND c.host = m.representative_host
WHERE m.role <> 'representative' OR EXISTS (
	SELECT 1 FROM file_group o INDEXED BY file_group_representative
		CROSS JOIN file p ON p.tag_set = m.tag_set AND p.host = o.host
			AND p.path_hash = o.path_hash AND p.content_hash = o.content_hash
	WHERE o.run = m.run AND o.representative_hash = m.representative_hash
		AND o.representative_host = m.representative_host AND o.role <> 'representative');

-- The same with names instead of ids and with paths as text. A copy whose original no longer exists is a member.
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
	h.name AS host, CASE WHEN m.directory = X'2f' THEN '' ELSE CAST(m.directory AS TEXT) END
		|| '/' || CAST(m.name AS TEXT) AS path,
	CAST(m.directory AS TEXT) AS directory, CAST(m.name AS TEXT) AS name,
	CAST(m.extension AS TEXT) AS extension, m.size, m.links, m.device, m.inode, m.file_id,
	strftime('%Y-%m-%d %H:%M:%S', m.mtime_ns / 1000000000, 'unixepoch') AS modified_utc,
	m.mtime_ns / 1000000000 AS modified_at, m.mtime_ns AS modified_at_ns,
	lower(hex(m.content_hash)) AS content_hash, m.distance, m.resemblance, m.verified,
	k.name AS representative_host,
	CASE WHEN m.representative_directory = X'2f' THEN '' ELSE CAST(m.representative_directory AS TEXT) END
		|| '/' || CAST(m.representative_name AS TEXT) AS representative_path
FROM shown_member m
CROSS JOIN tag_set t ON t.id = m.tag_set CROSS JOIN host h ON h.id = m.host
CROSS JOIN host k ON k.id = m.representative_host;

-- Files that are in no group of the current run, and files that changed after it.
CREATE VIEW ungrouped_file AS
SELECT r.id AS run, t.name AS tag_set, h.name AS host, CASE WHEN f.directory = X'2f' THEN '' ELSE CAST(f.directory AS TEXT) END
		|| '/' || CAST(f.name AS TEXT) AS path,
	CAST(f.directory AS TEXT) AS directory, CAST(f.name AS TEXT) AS name,
	CAST(f.extension AS TEXT) AS extension, f.size, f.links, f.device, f.inode,
	CASE WHEN f.inode = 0 OR f.compressed_size > 0 THEN f.host || ':' || hex(f.path_hash)
		ELSE f.host || ':' || f.device || ':' || f.inode END AS file_id,
	strftime('%Y-%m-%d %H:%M:%S', f.mtime_ns / 1000000000, 'unixepoch') AS modified_utc,
	f.mtime_ns / 1000000000 AS modified_at, f.mtime_ns AS modified_at_ns,
	lower(hex(f.content_hash)) AS content_hash
FROM find_run r JOIN file f ON f.tag_set = r.tag_set
JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host
WHERE r.state = 'current' AND f.contents <> 268435456 AND NOT EXISTS (
	SELECT 1 FROM shown_member m
	WHERE m.run = r.id AND m.path_hash = f.path_hash AND m.host = f.host);

-- Groups, with the size of all files and the size of the copies. Names of one file count once. A file is a
-- copy if all its names are copies.
CREATE VIEW similar_group AS
SELECT g.run, t.name AS tag_set, g.group_id, SUM(g.files) AS files, SUM(g.files * g.size) AS bytes,
	SUM(g.copies) AS copies, SUM(g.copies * g.size) AS copied_bytes,
	h.name AS representative_host, CASE WHEN c.directory = X'2f' THEN '' ELSE CAST(c.directory AS TEXT) END
		|| '/' || CAST(c.name AS TEXT) AS representative_path
FROM (
	SELECT m.run, m.group_id, m.representative_hash, m.representative_host,
		COUNT(DISTINCT m.file_id) AS files, MIN(m.size) AS size,
		min(COUNT(DISTINCT m.file_id) - COUNT(DISTINCT CASE WHEN m.role <> 'copy' THEN m.file_id END),
			COUNT(DISTINCT m.file_id) - 1) AS copies
	FROM live_member m
	GROUP BY m.run, m.group_id, m.representative_hash, m.representative_host, m.content_hash
) g
CROSS JOIN live_member c ON c.run = g.run AND c.path_hash = g.representative_hash
	AND c.host = g.representative_host
CROSS JOIN tag_set t ON t.id = c.tag_set CROSS JOIN host h ON h.id = c.host
GROUP BY g.run, t.name, g.group_id, h.name, c.directory, c.name, c.path_hash
HAVING SUM(g.files) > 1;

-- Pairs whose files still have the same content.
CREATE VIEW found_pair AS
SELECT p.run, t.name AS tag_set, p.distance, p.is_copy, p.resemblance, p.verified,
	p.contained_a, p.contained_b,
	a.size AS size_a, b.size AS size_b, h.name AS host_a,
	CASE WHEN a.directory = X'2f' THEN '' ELSE CAST(a.directory AS TEXT) END
		|| '/' || CAST(a.name AS TEXT) AS path_a, CAST(a.directory AS TEXT) AS directory_a,
	k.name AS host_b,
	CASE WHEN b.directory = X'2f' THEN '' ELSE CAST(b.directory AS TEXT) END
		|| '/' || CAST(b.name AS TEXT) AS path_b, CAST(b.directory AS TEXT) AS directory_b,
	CAST(a.extension AS TEXT) AS extension_a, CAST(b.extension AS TEXT) AS extension_b
FROM find_run r CROSS JOIN file_pair p ON p.run = r.id
CROSS JOIN file a ON a.tag_set = r.tag_set AND a.host = p.host_a AND a.path_hash = p.path_hash_a
	AND a.content_hash = p.content_hash_a
CROSS JOIN file b ON b.tag_set = r.tag_set AND b.host = p.host_b AND b.path_hash = p.path_hash_b
	AND b.content_hash = p.content_hash_b
CROSS JOIN tag_set t ON t.id = r.tag_set CROSS JOIN host h ON h.id = p.host_a CROSS JOIN host k ON k.id = p.host_b
WHERE r.state = 'current';

-- Files that are in a larger file with at least 80 percent of their content, and the larger files.
CREATE VIEW part_of AS
SELECT p.run, p.tag_set,
	CASE WHEN p.size_a < p.size_b THEN p.host_a ELSE p.host_b END AS part_host,
	CASE WHEN p.size_a < p.size_b THEN p.path_a ELSE p.path_b END AS part_path,
	CASE WHEN p.size_a < p.size_b THEN p.size_a ELSE p.size_b END AS part_size,
	CASE WHEN p.size_a < p.size_b THEN p.contained_a ELSE p.contained_b END AS share,
	CASE WHEN p.size_a < p.size_b THEN p.host_b ELSE p.host_a END AS whole_host,
	CASE WHEN p.size_a < p.size_b THEN p.path_b ELSE p.path_a END AS whole_path,
	CASE WHEN p.size_a < p.size_b THEN p.size_b ELSE p.size_a END AS whole_size
FROM found_pair p
WHERE p.is_copy = 0 AND (p.size_a > p.size_b * 1.1 OR p.size_b > p.size_a * 1.1)
	AND CASE WHEN p.size_a < p.size_b THEN p.contained_a ELSE p.contained_b END >= 0.8;

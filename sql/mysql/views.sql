-- The views of an index, for MySQL, MariaDB and similar engines. simhash runs this script when it creates or
-- upgrades an index, and for --init-database. This also repairs missing and damaged views and views without a
-- definer. docs/sql.md describes the views. text.sql turns bytes in braces into text.

-- Files, with names instead of ids and with paths as text. All names of one file have the same file_id. For a file
-- without an inode and for an archive member, file_id is made from the path.
CREATE OR REPLACE VIEW file_text AS
SELECT t.name AS tag_set, h.name AS host, CONCAT(CASE WHEN f.directory = X'2f' THEN '' ELSE {f.directory} END, '/', {f.name}) AS path,
	{f.directory} AS directory, {f.name} AS name,
	{f.extension} AS extension, f.size, f.compressed_size, f.links,
	f.device, f.inode, CASE WHEN f.inode = 0 OR f.compressed_size > 0 THEN CONCAT(f.host, ':', HEX(f.path_hash))
		ELSE CONCAT(f.host, ':', f.device, ':', f.inode) END AS file_id,
	DATE_ADD('1970-01-01', INTERVAL f.mtime_ns DIV 1000000000 SECOND) AS modified_utc,
	f.mtime_ns DIV 1000000000 AS modified_at, f.mtime_ns AS modified_at_ns,
	LOWER(HEX(f.content_hash)) AS content_hash,
	f.sum_00, f.sum_01, f.sum_02, f.sum_03, f.sum_04, f.sum_05, f.sum_06, f.sum_07,
	f.sum_08, f.sum_09, f.sum_10, f.sum_11, f.sum_12, f.sum_13, f.sum_14, f.sum_15,
	f.uniform, f.scatter, f.skew, f.uniform_ext, f.scatter_ext, f.skew_ext,
	CASE WHEN LENGTH(f.resemblance_sketch) = 144 THEN LOWER(HEX(SUBSTR(f.resemblance_sketch, 129))) END AS text_hash
FROM file f JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host;

-- Names of one file count once. Archive members are left out, because they cannot be removed.
CREATE OR REPLACE VIEW duplicate AS
SELECT (SELECT name FROM tag_set WHERE id = d.tag_set) AS tag_set, LOWER(HEX(d.content_hash)) AS content_hash, d.size,
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
CREATE OR REPLACE VIEW file_copies AS
SELECT t.name AS tag_set, h.name AS host, CONCAT(CASE WHEN f.directory = X'2f' THEN '' ELSE {f.directory} END, '/', {f.name}) AS path,
	{f.directory} AS directory, f.size, f.mtime_ns DIV 1000000000 AS modified_at,
	c.file_systems, c.hosts, c.files, LOWER(HEX(f.content_hash)) AS content_hash
FROM (
	SELECT tag_set, content_hash, size, COUNT(DISTINCT host, device) AS file_systems,
		COUNT(DISTINCT host) AS hosts, COUNT(*) AS files
	FROM file WHERE size > 0 AND contents & 268435456 = 0 GROUP BY tag_set, content_hash, size
) c
JOIN file f ON f.tag_set = c.tag_set AND f.content_hash = c.content_hash AND f.size = c.size
JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host
WHERE f.compressed_size = 0;

-- Files that were damaged, as simhash --scrub found them. A file that was read for the index or verified later is left
-- out.
CREATE OR REPLACE VIEW damaged_file AS
SELECT t.name AS tag_set, h.name AS host, CONCAT(CASE WHEN f.directory = X'2f' THEN '' ELSE {f.directory} END, '/', {f.name}) AS path,
	f.size, d.found_size, d.found_at_ns DIV 1000000000 AS found_at,
	DATE_ADD('1970-01-01', INTERVAL d.found_at_ns DIV 1000000000 SECOND) AS found_utc,
	d.verified_at_ns DIV 1000000000 AS verified_at,
	DATE_ADD('1970-01-01', INTERVAL d.verified_at_ns DIV 1000000000 SECOND) AS verified_utc,
	CASE WHEN d.is_unreadable <> 0 THEN 'unreadable' WHEN d.status_moved <> 0 THEN 'time restored' ELSE 'damaged' END AS kind,
	d.different_bytes, d.compared_bytes, d.first_byte, d.last_byte, d.resemblance,
	LOWER(HEX(f.content_hash)) AS content_hash, LOWER(HEX(d.found_hash)) AS found_hash
FROM damage d JOIN file f ON f.tag_set = d.tag_set AND f.host = d.host AND f.path_hash = d.path_hash
	AND f.content_hash = d.content_hash AND f.scanned_at_ns <= d.found_at_ns AND f.verified_at_ns <= d.found_at_ns
JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host;

CREATE OR REPLACE VIEW extension_statistics AS
SELECT t.name AS tag_set, {e.extension} AS extension, e.files, e.bytes,
	e.least_skew, e.largest_skew, e.least_skew_ext, e.largest_skew_ext
FROM (
	SELECT tag_set, extension, COUNT(*) AS files, SUM(size) AS bytes,
		MIN(skew) AS least_skew, MAX(skew) AS largest_skew,
		MIN(skew_ext) AS least_skew_ext, MAX(skew_ext) AS largest_skew_ext
	FROM file GROUP BY tag_set, extension
) e JOIN tag_set t ON t.id = e.tag_set;

-- The key range of each extension, by size.
CREATE OR REPLACE VIEW key_space AS
SELECT t.name AS tag_set, {e.extension} AS extension, c.class AS size_class,
	c.low AS from_size, e.files, e.bytes,
	e.least_skew, e.largest_skew, e.least_skew_ext, e.largest_skew_ext
FROM (
	SELECT tag_set, extension, bucket DIV 281474976710656 AS size_class,
		COUNT(*) AS files, SUM(size) AS bytes, MIN(skew) AS least_skew, MAX(skew) AS largest_skew,
		MIN(skew_ext) AS least_skew_ext, MAX(skew_ext) AS largest_skew_ext
	FROM file WHERE size > 0 GROUP BY tag_set, extension, bucket DIV 281474976710656
) e JOIN tag_set t ON t.id = e.tag_set JOIN size_class c ON c.class = e.size_class;

CREATE OR REPLACE VIEW run_text AS
SELECT r.id, h.name AS host, t.name AS tag_set, {r.root} AS root,
	DATE_ADD('1970-01-01', INTERVAL r.started_at_ns DIV 1000000000 SECOND) AS started_utc,
	DATE_ADD('1970-01-01', INTERVAL r.finished_at_ns DIV 1000000000 SECOND) AS finished_utc,
	r.started_at_ns DIV 1000000000 AS started_at, r.finished_at_ns DIV 1000000000 AS finished_at,
	r.files, r.bytes, r.errors
FROM scan_run r JOIN host h ON h.id = r.host JOIN tag_set t ON t.id = r.tag_set;

-- Sketches of files, with paths. Sketches of an earlier content are left out.
CREATE OR REPLACE VIEW sketched_file AS
SELECT m.name AS measure, t.name AS tag_set, h.name AS host, CONCAT(CASE WHEN f.directory = X'2f' THEN '' ELSE {f.directory} END, '/', {f.name}) AS path,
	f.size, s.features, s.cluster, LOWER(HEX(s.value)) AS value,
	LOWER(HEX(s.content_hash)) AS content_hash
FROM sketch s JOIN measure m ON m.id = s.measure
JOIN file f ON f.tag_set = s.tag_set AND f.host = s.host AND f.path_hash = s.path_hash
	AND f.content_hash = s.content_hash
JOIN tag_set t ON t.id = s.tag_set JOIN host h ON h.id = s.host
WHERE s.features > 0;

-- Pairs of files whose sizes, keys and sums are near to each other, with the distance of their sum tables. Each pair is
-- listed once, with the smaller file first. Two hard links of one file are not a pair. j is an entry of the index on
-- bucket, and a is the row of that entry. The larger file is in the size class of the smaller file or in the next size
-- class, in one of 2 by 2 cells of each class. The table size_class is also used as a list of the numbers 0 and 1.
CREATE OR REPLACE VIEW near_pair AS
SELECT a.tag_set, a.host AS host_a, a.directory AS directory_a, a.name AS name_a,
	a.extension AS extension_a, j.size AS size_a, b.host AS host_b,
	b.directory AS directory_b, b.name AS name_b, b.extension AS extension_b, b.size AS size_b,
	CASE WHEN a.size = b.size AND a.content_hash = b.content_hash THEN 1 ELSE 0 END AS is_copy,
	abs(a.sum_00 - b.sum_00) + abs(a.sum_01 - b.sum_01) + abs(a.sum_02 - b.sum_02)
		+ abs(a.sum_03 - b.sum_03) + abs(a.sum_04 - b.sum_04) + abs(a.sum_05 - b.sum_05)
		+ abs(a.sum_06 - b.sum_06) + abs(a.sum_07 - b.sum_07) + abs(a.sum_08 - b.sum_08)
		+ abs(a.sum_09 - b.sum_09) + abs(a.sum_10 - b.sum_10) + abs(a.sum_11 - b.sum_11)
		+ abs(a.sum_12 - b.sum_12) + abs(a.sum_13 - b.sum_13) + abs(a.sum_14 - b.sum_14)
		+ abs(a.sum_15 - b.sum_15) AS distance
FROM file j FORCE INDEX (file_bucket)
STRAIGHT_JOIN size_class up ON up.class <= 1
STRAIGHT_JOIN size_class s ON s.class = j.bucket DIV 281474976710656 + up.class
STRAIGHT_JOIN size_class di ON di.class <= 1
STRAIGHT_JOIN size_class dj ON dj.class <= 1
STRAIGHT_JOIN file b FORCE INDEX (file_bucket) ON b.tag_set = j.tag_set
	AND b.bucket = s.class * 281474976710656
		+ ((j.skew_ext + 7 * s.reach) DIV (2 * s.reach) - 4 + di.class + 16777216) % 16777216 * 16777216
		+ ((j.uniform + 7 * s.reach) DIV (2 * s.reach) - 4 + dj.class + 16777216) % 16777216
	AND b.uniform BETWEEN j.uniform - s.reach AND j.uniform + s.reach
	AND b.size >= j.size AND 2 * b.size <= 3 * j.size
	AND abs(b.skew_ext - j.skew_ext) <= GREATEST(1, b.size DIV 100)
	AND abs(b.signed_1 - j.signed_1 * s.has_sums) <= GREATEST(1, (j.size + b.size) DIV 200)
	AND abs(b.signed_2 - j.signed_2 * s.has_sums) <= GREATEST(1, (j.size + b.size) DIV 200)
	AND (b.size > j.size OR b.host > j.host OR (b.host = j.host AND b.path_hash > j.path_hash))
STRAIGHT_JOIN file a ON a.tag_set = j.tag_set AND a.host = j.host AND a.path_hash = j.path_hash
WHERE j.size > 0 AND (a.inode <> b.inode OR a.device <> b.device OR a.host <> b.host OR a.inode = 0
		OR a.compressed_size > 0 OR b.compressed_size > 0 OR a.content_hash <> b.content_hash);

-- All pairs of files whose counts and default keys differ by at most 1 percent.
CREATE OR REPLACE VIEW similar_pair AS
SELECT (SELECT name FROM tag_set WHERE id = p.tag_set) AS tag_set, p.distance, 200.0 * p.distance / (p.size_a + p.size_b) AS count_difference,
	p.is_copy, p.size_a, p.size_b, (SELECT name FROM host WHERE id = p.host_a) AS host_a,
	CONCAT(CASE WHEN p.directory_a = X'2f' THEN '' ELSE {p.directory_a} END, '/', {p.name_a}) AS path_a,
	{p.directory_a} AS directory_a,
	(SELECT name FROM host WHERE id = p.host_b) AS host_b,
	CONCAT(CASE WHEN p.directory_b = X'2f' THEN '' ELSE {p.directory_b} END, '/', {p.name_b}) AS path_b,
	{p.directory_b} AS directory_b,
	{p.extension_a} AS extension_a, {p.extension_b} AS extension_b
FROM near_pair p
WHERE 200 * p.distance <= GREATEST(200, p.size_a + p.size_b);

-- The files similar to one file. The query names this file by host, directory and name, and an index finds each of the
-- three. The conditions on tag_set and host are >= x AND <= x instead of = x, because MySQL then looks up one range for
-- each directory. With = x it would read all files of the host.
CREATE OR REPLACE VIEW near_file AS
SELECT h.name AS host, t.name AS tag_set, d.path AS directory, a.name AS name,
	a.size AS size_a, b.size, b.host AS host_b, b.directory AS directory_b, b.name AS name_b,
	CASE WHEN a.size = b.size AND a.content_hash = b.content_hash THEN 1 ELSE 0 END AS is_copy,
	abs(a.sum_00 - b.sum_00) + abs(a.sum_01 - b.sum_01) + abs(a.sum_02 - b.sum_02)
		+ abs(a.sum_03 - b.sum_03) + abs(a.sum_04 - b.sum_04) + abs(a.sum_05 - b.sum_05)
		+ abs(a.sum_06 - b.sum_06) + abs(a.sum_07 - b.sum_07) + abs(a.sum_08 - b.sum_08)
		+ abs(a.sum_09 - b.sum_09) + abs(a.sum_10 - b.sum_10) + abs(a.sum_11 - b.sum_11)
		+ abs(a.sum_12 - b.sum_12) + abs(a.sum_13 - b.sum_13) + abs(a.sum_14 - b.sum_14)
		+ abs(a.sum_15 - b.sum_15) AS distance
FROM host h
STRAIGHT_JOIN tag_set t
STRAIGHT_JOIN directory d FORCE INDEX (directory_path) ON d.tag_set = t.id AND d.host = h.id
STRAIGHT_JOIN file a FORCE INDEX (PRIMARY) ON a.tag_set >= d.tag_set AND a.tag_set <= d.tag_set
	AND a.host >= d.host AND a.host <= d.host
	AND a.path_hash BETWEEN CONCAT(d.directory_hash, X'0000000000000000')
		AND CONCAT(d.directory_hash, X'ffffffffffffffff')
STRAIGHT_JOIN size_class down ON down.class <= 2
STRAIGHT_JOIN size_class s ON s.class = a.bucket DIV 281474976710656 - 1 + down.class
STRAIGHT_JOIN size_class r ON r.class = GREATEST(s.class, a.bucket DIV 281474976710656)
STRAIGHT_JOIN size_class di ON di.class <= 2
STRAIGHT_JOIN size_class dj ON dj.class <= 2
STRAIGHT_JOIN file k FORCE INDEX (file_bucket) ON k.tag_set = t.id
	AND k.bucket = s.class * 281474976710656
		+ ((a.skew_ext + 8 * s.reach - r.reach) DIV (2 * s.reach) - 4 + di.class + 16777216) % 16777216 * 16777216
		+ ((a.uniform + 8 * s.reach - r.reach) DIV (2 * s.reach) - 4 + dj.class + 16777216) % 16777216
	AND k.uniform BETWEEN a.uniform - r.reach AND a.uniform + r.reach
	AND 2 * k.size <= 3 * a.size AND 2 * a.size <= 3 * k.size
	AND abs(k.skew_ext - a.skew_ext) <= GREATEST(1, k.size DIV 100, a.size DIV 100)
	AND (k.host <> a.host OR k.path_hash <> a.path_hash)
STRAIGHT_JOIN file b ON b.tag_set = k.tag_set AND b.host = k.host AND b.path_hash = k.path_hash
WHERE a.size > 0 AND (a.inode <> b.inode OR a.device <> b.device OR a.host <> b.host OR a.inode = 0
		OR a.compressed_size > 0 OR b.compressed_size > 0 OR a.content_hash <> b.content_hash);

CREATE OR REPLACE VIEW similar_file AS
SELECT f.host, f.tag_set, f.directory, f.name, f.distance,
	200.0 * f.distance / (f.size_a + f.size) AS count_difference, f.is_copy, f.size,
	(SELECT name FROM host WHERE id = f.host_b) AS similar_host,
	CONCAT(CASE WHEN f.directory_b = X'2f' THEN '' ELSE {f.directory_b} END, '/', {f.name_b}) AS similar_path
FROM near_file f
WHERE 200 * f.distance <= GREATEST(200, f.size_a + f.size);

CREATE OR REPLACE VIEW find_run_text AS
SELECT r.id, t.name AS tag_set, r.host, {r.options} AS options, r.program_version, r.state,
	DATE_ADD('1970-01-01', INTERVAL r.started_at_ns DIV 1000000000 SECOND) AS started_utc,
	DATE_ADD('1970-01-01', INTERVAL r.finished_at_ns DIV 1000000000 SECOND) AS finished_utc,
	r.started_at_ns DIV 1000000000 AS started_at, r.finished_at_ns DIV 1000000000 AS finished_at,
	r.group_count, r.file_count, r.pair_count, r.stored_pair_count,
	CASE WHEN r.pair_count = r.stored_pair_count THEN 1 ELSE 0 END AS has_all_pairs
FROM find_run r JOIN tag_set t ON t.id = r.tag_set;

-- Files in groups that still have the same content.
CREATE OR REPLACE VIEW live_member AS
SELECT g.run, r.tag_set, g.host, g.path_hash, g.content_hash, g.group_id, g.role,
	g.representative_host, g.representative_hash, g.distance, g.resemblance, g.verified,
	f.directory, f.name, f.extension, f.size, f.mtime_ns, f.links, f.device, f.inode,
	CASE WHEN f.inode = 0 OR f.compressed_size > 0 THEN CONCAT(f.host, ':', HEX(f.path_hash))
		ELSE CONCAT(f.host, ':', f.device, ':', f.inode) END AS file_id
FROM find_run r JOIN file_group g ON g.run = r.id
JOIN file f ON f.tag_set = r.tag_set AND f.host = g.host AND f.path_hash = g.path_hash
	AND f.content_hash = g.content_hash
WHERE r.state = 'current';

-- Files in groups, if the first file of the group and another file still exist. Engines expect too few rows with one
-- value of `run`, so this view names the index that finds the other files of a group.
CREATE OR REPLACE VIEW shown_member AS
SELECT m.run, m.tag_set, m.host, m.path_hash, m.content_hash, m.group_id, m.role,
	m.representative_host, m.representative_hash, m.distance, m.resemblance, m.verified,
	m.directory, m.name, m.extension, m.size, m.mtime_ns, m.links, m.device, m.inode, m.file_id,
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

-- The same with names instead of ids and with paths as text. A copy whose original no longer exists is a member.
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
	h.name AS host, CONCAT(CASE WHEN m.directory = X'2f' THEN '' ELSE {m.directory} END, '/', {m.name}) AS path,
	{m.directory} AS directory, {m.name} AS name,
	{m.extension} AS extension, m.size, m.links, m.device, m.inode, m.file_id,
	DATE_ADD('1970-01-01', INTERVAL m.mtime_ns DIV 1000000000 SECOND) AS modified_utc,
	m.mtime_ns DIV 1000000000 AS modified_at, m.mtime_ns AS modified_at_ns,
	LOWER(HEX(m.content_hash)) AS content_hash, m.distance, m.resemblance, m.verified,
	k.name AS representative_host,
	CONCAT(CASE WHEN m.representative_directory = X'2f' THEN '' ELSE {m.representative_directory} END, '/', {m.representative_name}) AS representative_path
FROM shown_member m
JOIN tag_set t ON t.id = m.tag_set JOIN host h ON h.id = m.host
JOIN host k ON k.id = m.representative_host;

-- Files that are in no group of the current run, and files that changed after it.
CREATE OR REPLACE VIEW ungrouped_file AS
SELECT r.id AS run, t.name AS tag_set, h.name AS host, CONCAT(CASE WHEN f.directory = X'2f' THEN '' ELSE {f.directory} END, '/', {f.name}) AS path,
	{f.directory} AS directory, {f.name} AS name,
	{f.extension} AS extension, f.size, f.links, f.device, f.inode,
	CASE WHEN f.inode = 0 OR f.compressed_size > 0 THEN CONCAT(f.host, ':', HEX(f.path_hash))
		ELSE CONCAT(f.host, ':', f.device, ':', f.inode) END AS file_id,
	DATE_ADD('1970-01-01', INTERVAL f.mtime_ns DIV 1000000000 SECOND) AS modified_utc,
	f.mtime_ns DIV 1000000000 AS modified_at, f.mtime_ns AS modified_at_ns,
	LOWER(HEX(f.content_hash)) AS content_hash
FROM find_run r JOIN file f ON f.tag_set = r.tag_set
JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host
WHERE r.state = 'current' AND f.contents <> 268435456 AND NOT EXISTS (
	SELECT 1 FROM shown_member m
	WHERE m.run = r.id AND m.path_hash = f.path_hash AND m.host = f.host);

-- Groups, with the size of all files and the size of the copies. Names of one file count once. A file is a
-- copy if all its names are copies.
CREATE OR REPLACE VIEW similar_group AS
SELECT g.run, t.name AS tag_set, g.group_id, SUM(g.files) AS files, SUM(g.files * g.size) AS bytes,
	SUM(g.copies) AS copies, SUM(g.copies * g.size) AS copied_bytes,
	h.name AS representative_host, CONCAT(CASE WHEN c.directory = X'2f' THEN '' ELSE {c.directory} END, '/', {c.name}) AS representative_path
FROM (
	SELECT m.run, m.group_id, m.representative_hash, m.representative_host,
		COUNT(DISTINCT m.file_id) AS files, MIN(m.size) AS size,
		LEAST(COUNT(DISTINCT m.file_id) - COUNT(DISTINCT CASE WHEN m.role <> 'copy' THEN m.file_id END),
			COUNT(DISTINCT m.file_id) - 1) AS copies
	FROM live_member m
	GROUP BY m.run, m.group_id, m.representative_hash, m.representative_host, m.content_hash
) g
JOIN live_member c ON c.run = g.run AND c.path_hash = g.representative_hash
	AND c.host = g.representative_host
JOIN tag_set t ON t.id = c.tag_set JOIN host h ON h.id = c.host
GROUP BY g.run, t.name, g.group_id, h.name, c.directory, c.name, c.path_hash
HAVING SUM(g.files) > 1;

-- Pairs whose files still have the same content.
CREATE OR REPLACE VIEW found_pair AS
SELECT p.run, t.name AS tag_set, p.distance, p.is_copy, p.resemblance, p.verified,
	p.contained_a, p.contained_b,
	a.size AS size_a, b.size AS size_b, h.name AS host_a,
	CONCAT(CASE WHEN a.directory = X'2f' THEN '' ELSE {a.directory} END, '/', {a.name}) AS path_a, {a.directory} AS directory_a,
	k.name AS host_b,
	CONCAT(CASE WHEN b.directory = X'2f' THEN '' ELSE {b.directory} END, '/', {b.name}) AS path_b, {b.directory} AS directory_b,
	{a.extension} AS extension_a, {b.extension} AS extension_b
FROM find_run r JOIN file_pair p ON p.run = r.id
JOIN file a ON a.tag_set = r.tag_set AND a.host = p.host_a AND a.path_hash = p.path_hash_a
	AND a.content_hash = p.content_hash_a
JOIN file b ON b.tag_set = r.tag_set AND b.host = p.host_b AND b.path_hash = p.path_hash_b
	AND b.content_hash = p.content_hash_b
JOIN tag_set t ON t.id = r.tag_set JOIN host h ON h.id = p.host_a JOIN host k ON k.id = p.host_b
WHERE r.state = 'current';

-- Files that are in a larger file with at least 80 percent of their content, and the larger files.
CREATE OR REPLACE VIEW part_of AS
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

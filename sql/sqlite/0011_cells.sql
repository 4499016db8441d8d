-- Version 11: cells of sums in which the counts have signs. Such sums of two files differ by no more than
-- the files' distance, and these two separate files best beside uniform. A file's cell is one of a
-- grid over the size class and both, and the index on it has an outline of all counts. The views search
-- by it and no longer by the bucket.

-- A cell is twice `reach` wide. `middle` makes every sum positive. Sums are 0 where those of large
-- files might exceed 64 bits: `has_sums` is 0 there.

ALTER TABLE size_class ADD COLUMN middle INTEGER NOT NULL DEFAULT 0;

ALTER TABLE size_class ADD COLUMN has_sums INTEGER NOT NULL DEFAULT 0;

UPDATE size_class SET has_sums = CASE WHEN class < 95 THEN 1 ELSE 0 END,
	middle = CASE WHEN class < 95 THEN 2047 ELSE 1 END * reach;

DROP INDEX IF EXISTS file_bucket;

DROP INDEX IF EXISTS file_uniform;

ALTER TABLE file ADD COLUMN cell INTEGER NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN signed_1 INTEGER NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN signed_2 INTEGER NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN outline_00 INTEGER NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN outline_08 INTEGER NOT NULL DEFAULT 0;

-- In one pass, as rows are large.
UPDATE file SET (cell, signed_1, signed_2, outline_00, outline_08) = (
	SELECT c.class * 16777216 + (s1 + c.middle + c.reach) / (2 * c.reach) * 4096
		+ (s2 + c.middle + c.reach) / (2 * c.reach), s1, s2,
			sum_00 / (c.reach / 30 + 1) % 128
			+ sum_01 / (c.reach / 30 + 1) % 128 * 128
			+ sum_02 / (c.reach / 30 + 1) % 128 * 16384
			+ sum_03 / (c.reach / 30 + 1) % 128 * 2097152
			+ sum_04 / (c.reach / 30 + 1) % 128 * 268435456
			+ sum_05 / (c.reach / 30 + 1) % 128 * 34359738368
			+ sum_06 / (c.reach / 30 + 1) % 128 * 4398046511104
			+ sum_07 / (c.reach / 30 + 1) % 128 * 562949953421312,
			sum_08 / (c.reach / 30 + 1) % 128
			+ sum_09 / (c.reach / 30 + 1) % 128 * 128
			+ sum_10 / (c.reach / 30 + 1) % 128 * 16384
			+ sum_11 / (c.reach / 30 + 1) % 128 * 2097152
			+ sum_12 / (c.reach / 30 + 1) % 128 * 268435456
			+ sum_13 / (c.reach / 30 + 1) % 128 * 34359738368
			+ sum_14 / (c.reach / 30 + 1) % 128 * 4398046511104
			+ sum_15 / (c.reach / 30 + 1) % 128 * 562949953421312
	FROM (SELECT CASE WHEN size < 86854611480951675
		THEN sum_00 - sum_01 - sum_02 + sum_03 - sum_04 + sum_05 + sum_06 + sum_07
			+ sum_08 - sum_09 + sum_10 + sum_11 + sum_12 - sum_13 - sum_14 + sum_15
		ELSE 0 END AS s1,
		CASE WHEN size < 86854611480951675
		THEN -sum_00 + sum_01 + sum_02 - sum_03 - sum_04 + sum_05 + sum_06 - sum_07
			+ sum_08 - sum_09 - sum_10 - sum_11 + sum_12 + sum_13 - sum_14 + sum_15
		ELSE 0 END AS s2) sums
	JOIN size_class c ON c.low <= max(1, file.size) ORDER BY c.low DESC LIMIT 1
);

DROP VIEW IF EXISTS similar_pair;

DROP VIEW IF EXISTS similar_file;

DROP VIEW IF EXISTS near_pair;

DROP VIEW IF EXISTS near_file;

-- Pairs of files whose sizes, keys and sums are near enough, once each, the smaller file first,
-- with the distance of their sum tables. Partners are in the class of the smaller file or
-- the next one, in 2 by 2 cells of each. size_class also serves for the numbers 0 and 1.
CREATE VIEW near_pair AS
SELECT a.tag_set, a.host AS host_a, a.directory AS directory_a, a.name AS name_a,
	a.extension AS extension_a, a.size AS size_a, b.host AS host_b,
	b.directory AS directory_b, b.name AS name_b, b.extension AS extension_b, b.size AS size_b,
	CASE WHEN a.size = b.size AND a.content_hash = b.content_hash THEN 1 ELSE 0 END AS is_copy,
	abs(a.sum_00 - b.sum_00) + abs(a.sum_01 - b.sum_01) + abs(a.sum_02 - b.sum_02)
		+ abs(a.sum_03 - b.sum_03) + abs(a.sum_04 - b.sum_04) + abs(a.sum_05 - b.sum_05)
		+ abs(a.sum_06 - b.sum_06) + abs(a.sum_07 - b.sum_07) + abs(a.sum_08 - b.sum_08)
		+ abs(a.sum_09 - b.sum_09) + abs(a.sum_10 - b.sum_10) + abs(a.sum_11 - b.sum_11)
		+ abs(a.sum_12 - b.sum_12) + abs(a.sum_13 - b.sum_13) + abs(a.sum_14 - b.sum_14)
		+ abs(a.sum_15 - b.sum_15) AS distance
FROM file a
CROSS JOIN size_class s ON s.class >= a.cell / 16777216
	AND s.class <= a.cell / 16777216 + 1
CROSS JOIN size_class di ON di.class <= 1
CROSS JOIN size_class dj ON dj.class <= 1
CROSS JOIN file k ON k.tag_set = a.tag_set
	AND k.cell = s.class * 16777216
		+ ((a.signed_1 * s.has_sums + s.middle) / (2 * s.reach) + di.class) * 4096
		+ (a.signed_2 * s.has_sums + s.middle) / (2 * s.reach) + dj.class
	AND k.uniform BETWEEN a.uniform - min(s.reach, a.size / 80 + 2)
		AND a.uniform + min(s.reach, a.size / 80 + 2)
	AND k.size >= a.size AND 2 * k.size <= 3 * a.size
	AND abs(k.skew_ext - a.skew_ext) <= max(1, k.size / 100)
	AND abs(k.signed_1 - a.signed_1 * s.has_sums) <= max(1, (a.size + k.size) / 200)
	AND abs(k.signed_2 - a.signed_2 * s.has_sums) <= max(1, (a.size + k.size) / 200)
	AND (k.size > a.size OR k.host > a.host OR (k.host = a.host AND k.path_hash > a.path_hash))
CROSS JOIN file b ON b.tag_set = k.tag_set AND b.host = k.host AND b.path_hash = k.path_hash
WHERE a.size > 0 AND (a.links = 1 OR b.links = 1 OR a.inode <> b.inode OR a.device <> b.device
		OR a.host <> b.host OR a.content_hash <> b.content_hash);

-- All pairs of similar files at a tolerance of 1 percent, by the standard key.
CREATE VIEW similar_pair AS
SELECT (SELECT name FROM tag_set WHERE id = p.tag_set) AS tag_set, p.distance, 200.0 * p.distance / (p.size_a + p.size_b) AS percent,
	p.is_copy, p.size_a, p.size_b, (SELECT name FROM host WHERE id = p.host_a) AS host_a,
	CASE WHEN p.directory_a = X'2f' THEN '' ELSE CAST(p.directory_a AS TEXT) END
		|| '/' || CAST(p.name_a AS TEXT) AS path_a,
	(SELECT name FROM host WHERE id = p.host_b) AS host_b,
	CASE WHEN p.directory_b = X'2f' THEN '' ELSE CAST(p.directory_b AS TEXT) END
		|| '/' || CAST(p.name_b AS TEXT) AS path_b,
	CAST(p.extension_a AS TEXT) AS extension_a,
	CAST(p.extension_b AS TEXT) AS extension_b
FROM near_pair p
WHERE 200 * p.distance <= max(200, p.size_a + p.size_b);

-- The files similar to one, which is named by host, directory and name; each of the three
-- is found by an index.
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
	AND k.uniform BETWEEN a.uniform - r.reach AND a.uniform + r.reach
	AND 2 * k.size <= 3 * a.size AND 2 * a.size <= 3 * k.size
	AND abs(k.skew_ext - a.skew_ext) <= max(1, k.size / 100, a.size / 100)
	AND abs(k.signed_1 - a.signed_1 * s.has_sums) <= max(1, (a.size + k.size) / 200)
	AND abs(k.signed_2 - a.signed_2 * s.has_sums) <= max(1, (a.size + k.size) / 200)
	AND (k.host <> a.host OR k.path_hash <> a.path_hash)
CROSS JOIN file b ON b.tag_set = k.tag_set AND b.host = k.host AND b.path_hash = k.path_hash
WHERE a.size > 0 AND (a.links = 1 OR b.links = 1 OR a.inode <> b.inode OR a.device <> b.device
		OR a.host <> b.host OR a.content_hash <> b.content_hash);

CREATE VIEW similar_file AS
SELECT f.host, f.tag_set, f.directory, f.name, f.distance,
	200.0 * f.distance / (f.size_a + f.size) AS percent, f.is_copy, f.size,
	(SELECT name FROM host WHERE id = f.host_b) AS similar_host,
	CASE WHEN f.directory_b = X'2f' THEN '' ELSE CAST(f.directory_b AS TEXT) END
		|| '/' || CAST(f.name_b AS TEXT) AS similar_path
FROM near_file f
WHERE f.distance <= 1 OR 200 * f.distance <= f.size_a + f.size;

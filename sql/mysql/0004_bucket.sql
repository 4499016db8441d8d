-- Version 4: all similar pairs, and those of one file, in plain SQL. A file's bucket is a
-- cell of a grid: its size class, and where its keys skew_ext and uniform, which is the sum
-- of its counts, lie in steps of twice the reach of that class. Files that are similar at a tolerance of 1
-- percent lie in the same cell or in cells that touch. A statement that was run before fails,
-- and that is passed over.

-- Sizes from `low` on, 1.5 times as large from class to class; two files that are similar
-- are of one class or of two that follow one another. `reach` is what keys may differ by.
CREATE TABLE IF NOT EXISTS size_class (
	class BIGINT NOT NULL PRIMARY KEY,
	low   BIGINT NOT NULL UNIQUE,
	reach BIGINT NOT NULL
);

INSERT INTO size_class(class, low, reach) VALUES
	(0, 1, 2), (1, 2, 2), (2, 3, 2), (3, 5, 2), (4, 8, 2), (5, 12, 2), (6, 18, 2), (7, 27, 2),
	(8, 41, 2), (9, 62, 2), (10, 93, 3), (11, 140, 4), (12, 210, 5), (13, 315, 6), (14, 473, 9),
	(15, 710, 12), (16, 1065, 17), (17, 1598, 25), (18, 2397, 37), (19, 3596, 55), (20, 5394, 82),
	(21, 8091, 123), (22, 12137, 184), (23, 18206, 275), (24, 27309, 411), (25, 40964, 616),
	(26, 61446, 923), (27, 92169, 1384), (28, 138254, 2075), (29, 207381, 3112),
	(30, 311072, 4668), (31, 466608, 7001), (32, 699912, 10500), (33, 1049868, 15750),
	(34, 1574802, 23624), (35, 2362203, 35435), (36, 3543305, 53151), (37, 5314958, 79726),
	(38, 7972437, 119588), (39, 11958656, 179381), (40, 17937984, 269071), (41, 26906976, 403606),
	(42, 40360464, 605408), (43, 60540696, 908112), (44, 90811044, 1362167),
	(45, 136216566, 2043250), (46, 204324849, 3064874), (47, 306487274, 4597311),
	(48, 459730911, 6895965), (49, 689596367, 10343947), (50, 1034394551, 15515920),
	(51, 1551591827, 23273879), (52, 2327387741, 34910818), (53, 3491081612, 52366226),
	(54, 5236622418, 78549338), (55, 7854933627, 117824006), (56, 11782400441, 176736008),
	(57, 17673600662, 265104011), (58, 26510400993, 397656016), (59, 39765601490, 596484024),
	(60, 59648402235, 894726035), (61, 89472603353, 1342089052), (62, 134208905030, 2013133577),
	(63, 201313357545, 3019700365), (64, 301970036318, 4529550546), (65, 452955054477, 6794325819),
	(66, 679432581716, 10191488727), (67, 1019148872574, 15287233090),
	(68, 1528723308861, 22930849634), (69, 2293084963292, 34396274451),
	(70, 3439627444938, 51594411676), (71, 5159441167407, 77391617513),
	(72, 7739161751111, 116087426268), (73, 11608742626667, 174131139402),
	(74, 17413113940001, 261196709102), (75, 26119670910002, 391795063652),
	(76, 39179506365003, 587692595477), (77, 58769259547505, 881538893214),
	(78, 88153889321258, 1322308339820), (79, 132230833981887, 1983462509730),
	(80, 198346250972831, 2975193764594), (81, 297519376459247, 4462790646890),
	(82, 446279064688871, 6694185970335), (83, 669418597033307, 10041278955501),
	(84, 1004127895549961, 15061918433251), (85, 1506191843324942, 22592877649876),
	(86, 2259287764987413, 33889316474813), (87, 3388931647481120, 50833974712218),
	(88, 5083397471221680, 76250962068327), (89, 7625096206832520, 114376443102489),
	(90, 11437644310248780, 171564664653733), (91, 17156466465373170, 257346996980599),
	(92, 25734699698059755, 386020495470898), (93, 38602049547089633, 579030743206346),
	(94, 57903074320634450, 868546114809518), (95, 86854611480951675, 1302819172214277),
	(96, 130281917221427513, 1954228758321414), (97, 195422875832141270, 2931343137482121),
	(98, 293134313748211905, 4397014706223180), (99, 439701470622317858, 6595522059334769),
	(100, 659552205933476787, 9893283089002153), (101, 989328308900215181, 14839924633503229),
	(102, 1483992463350322772, 22259886950254843), (103, 2225988695025484158, 33389830425382264),
	(104, 3338983042538226237, 50084745638073395), (105, 5008474563807339356, 75127118457110092),
	(106, 7512711845711009034, 92233720368547760);

ALTER TABLE file ADD COLUMN bucket BIGINT NOT NULL DEFAULT 0;

UPDATE file SET bucket = (
	SELECT c.class * 281474976710656
		+ file.skew_ext DIV (2 * c.reach) % 16777216 * 16777216
		+ file.uniform DIV (2 * c.reach) % 16777216
	FROM size_class c WHERE c.low <= GREATEST(1, file.size) ORDER BY c.low DESC LIMIT 1
);

ALTER TABLE file ADD KEY file_bucket (tag_set, bucket, uniform, size, skew_ext);

-- Pairs of files whose sizes and keys are near enough, once each, the smaller file first,
-- with the distance of their sum tables. Partners are in the class of the smaller file or
-- the next one, in 2 by 2 cells of each. size_class also serves for the numbers 0 and 1.
CREATE OR REPLACE VIEW near_pair AS
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
STRAIGHT_JOIN size_class up ON up.class <= 1
STRAIGHT_JOIN size_class s ON s.class = a.bucket DIV 281474976710656 + up.class
STRAIGHT_JOIN size_class di ON di.class <= 1
STRAIGHT_JOIN size_class dj ON dj.class <= 1
STRAIGHT_JOIN file k FORCE INDEX (file_bucket) ON k.tag_set = a.tag_set
	AND k.bucket = s.class * 281474976710656
		+ ((a.skew_ext + 7 * s.reach) DIV (2 * s.reach) - 4 + di.class + 16777216) % 16777216 * 16777216
		+ ((a.uniform + 7 * s.reach) DIV (2 * s.reach) - 4 + dj.class + 16777216) % 16777216
	AND k.uniform BETWEEN a.uniform - s.reach  AND a.uniform + s.reach 
	AND k.size >= a.size AND 2 * k.size <= 3 * a.size
	AND abs(k.skew_ext - a.skew_ext) <= GREATEST(1, k.size DIV 100)
	AND (k.size > a.size OR k.host > a.host OR (k.host = a.host AND k.path_hash > a.path_hash))
STRAIGHT_JOIN file b ON b.tag_set = k.tag_set AND b.host = k.host AND b.path_hash = k.path_hash
WHERE a.size > 0 AND (a.links = 1 OR b.links = 1 OR a.inode <> b.inode OR a.device <> b.device
		OR a.host <> b.host OR a.content_hash <> b.content_hash);

-- All pairs of similar files at a tolerance of 1 percent, by the standard key.
CREATE OR REPLACE VIEW similar_pair AS
SELECT (SELECT name FROM tag_set WHERE id = p.tag_set) AS tag_set, p.distance, 200.0 * p.distance / (p.size_a + p.size_b) AS percent,
	p.is_copy, p.size_a, p.size_b, (SELECT name FROM host WHERE id = p.host_a) AS host_a,
	CONCAT(CASE WHEN p.directory_a = X'2f' THEN '' ELSE CONVERT(p.directory_a USING utf8mb4) END,
		'/', CONVERT(p.name_a USING utf8mb4)) AS path_a,
	(SELECT name FROM host WHERE id = p.host_b) AS host_b,
	CONCAT(CASE WHEN p.directory_b = X'2f' THEN '' ELSE CONVERT(p.directory_b USING utf8mb4) END,
		'/', CONVERT(p.name_b USING utf8mb4)) AS path_b,
	CONVERT(p.extension_a USING utf8mb4) AS extension_a,
	CONVERT(p.extension_b USING utf8mb4) AS extension_b
FROM near_pair p
WHERE p.distance <= 1 OR 200 * p.distance <= p.size_a + p.size_b;

-- The files similar to one, which is named by host, directory and name; each of the three
-- is found by an index. Ranges of one value have MySQL look a range up for each directory,
-- where equality would have it read all files of the host.
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
	AND k.uniform BETWEEN a.uniform - r.reach  AND a.uniform + r.reach 
	AND 2 * k.size <= 3 * a.size AND 2 * a.size <= 3 * k.size
	AND abs(k.skew_ext - a.skew_ext) <= GREATEST(1, k.size DIV 100, a.size DIV 100)
	AND (k.host <> a.host OR k.path_hash <> a.path_hash)
STRAIGHT_JOIN file b ON b.tag_set = k.tag_set AND b.host = k.host AND b.path_hash = k.path_hash
WHERE a.size > 0 AND (a.links = 1 OR b.links = 1 OR a.inode <> b.inode OR a.device <> b.device
		OR a.host <> b.host OR a.content_hash <> b.content_hash);

CREATE OR REPLACE VIEW similar_file AS
SELECT f.host, f.tag_set, f.directory, f.name, f.distance,
	200.0 * f.distance / (f.size_a + f.size) AS percent, f.is_copy, f.size,
	(SELECT name FROM host WHERE id = f.host_b) AS similar_host,
	CONCAT(CASE WHEN f.directory_b = X'2f' THEN '' ELSE CONVERT(f.directory_b USING utf8mb4) END,
		'/', CONVERT(f.name_b USING utf8mb4)) AS similar_path
FROM near_file f
WHERE f.distance <= 1 OR 200 * f.distance <= f.size_a + f.size;

-- The part of the key space that the files of an extension take, by size.
CREATE OR REPLACE VIEW key_space AS
SELECT t.name AS tag_set, CONVERT(f.extension USING utf8mb4) AS extension, c.class AS size_class,
	c.low AS from_size, COUNT(*) AS files, SUM(f.size) AS bytes,
	MIN(f.skew) AS least_skew, MAX(f.skew) AS largest_skew,
	MIN(f.skew_ext) AS least_skew_ext, MAX(f.skew_ext) AS largest_skew_ext
FROM file f JOIN tag_set t ON t.id = f.tag_set
JOIN size_class c ON c.class = f.bucket DIV 281474976710656
WHERE f.size > 0
GROUP BY t.name, f.extension, c.class, c.low;

CREATE OR REPLACE VIEW run_text AS
SELECT r.id, h.name AS host, t.name AS tag_set, CONVERT(r.root USING utf8mb4) AS root,
	DATE_ADD('1970-01-01', INTERVAL r.started_at_ns DIV 1000000000 SECOND) AS started_utc,
	DATE_ADD('1970-01-01', INTERVAL r.finished_at_ns DIV 1000000000 SECOND) AS finished_utc,
	r.files, r.bytes, r.errors
FROM scan_run r JOIN host h ON h.id = r.host JOIN tag_set t ON t.id = r.tag_set;

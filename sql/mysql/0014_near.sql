-- Version 14: the index on bucket has the signed sums, too, and the view of near pairs goes through
-- it from its beginning to its end. All that b has to meet is in the index: the server checks it
-- there, and reads rows of pairs only.

ALTER TABLE file DROP KEY file_bucket,
	ADD KEY file_bucket (tag_set, bucket, uniform, size, skew_ext, signed_1, signed_2);

-- Pairs of files whose sizes, keys and sums are near enough, once each, the smaller file first,
-- with the distance of their sum tables. j is an entry of the index, and a its row. Partners are in
-- the class of the smaller file or the next one, in 2 by 2 cells of each. size_class also serves
-- for the numbers 0 and 1.
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
WHERE j.size > 0 AND (a.links = 1 OR b.links = 1 OR a.inode <> b.inode OR a.device <> b.device
		OR a.host <> b.host OR a.content_hash <> b.content_hash);

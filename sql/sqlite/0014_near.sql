-- Version 14: the view of near pairs goes through the index on cell from its beginning to its end,
-- and reads rows of pairs only. Those of similar files then follow one another, and are still in
-- memory.

DROP VIEW IF EXISTS near_pair;

-- Pairs of files whose sizes, keys and sums are near enough, once each, the smaller file first,
-- with the distance of their sum tables. j and k are entries of the index on cell, a and b their
-- rows. Partners are in the class of the smaller file or the next one, in 2 by 2 cells of each.
-- size_class also serves for the numbers 0 and 1.
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
WHERE j.size > 0 AND (a.links = 1 OR b.links = 1 OR a.inode <> b.inode OR a.device <> b.device
		OR a.host <> b.host OR a.content_hash <> b.content_hash);

-- Which pairs of files are similar, at a tolerance of 1 percent?
SELECT distance, size_a, size_b, directory_a, name_a, directory_b, name_b
FROM (
	SELECT a.size AS size_a, b.size AS size_b, a.skew_ext AS key_a,
		a.directory AS directory_a, a.name AS name_a,
		b.directory AS directory_b, b.name AS name_b,
		a.path_hash AS hash_a, b.path_hash AS hash_b,
		abs(a.sum_00 - b.sum_00) + abs(a.sum_01 - b.sum_01) + abs(a.sum_02 - b.sum_02)
		+ abs(a.sum_03 - b.sum_03) + abs(a.sum_04 - b.sum_04) + abs(a.sum_05 - b.sum_05)
		+ abs(a.sum_06 - b.sum_06) + abs(a.sum_07 - b.sum_07) + abs(a.sum_08 - b.sum_08)
		+ abs(a.sum_09 - b.sum_09) + abs(a.sum_10 - b.sum_10) + abs(a.sum_11 - b.sum_11)
		+ abs(a.sum_12 - b.sum_12) + abs(a.sum_13 - b.sum_13) + abs(a.sum_14 - b.sum_14)
		+ abs(a.sum_15 - b.sum_15) AS distance
	FROM file a JOIN file b ON b.tag_set = a.tag_set
		-- b's key is a's or above it, within the reach of the largest partner of a
		AND b.skew_ext BETWEEN a.skew_ext AND a.skew_ext + 1 + a.size * 15 / 1000
		AND (b.skew_ext - a.skew_ext <= 1 OR 100 * (b.skew_ext - a.skew_ext)
			<= CASE WHEN a.size > b.size THEN a.size ELSE b.size END)
		-- and of two equal keys, one order only
		AND (b.skew_ext > a.skew_ext OR b.host > a.host
			OR (b.host = a.host AND b.path_hash > a.path_hash))
	WHERE a.size > 0 AND b.size > 0
		-- names of one file are no pair
		AND (a.links = 1 OR b.links = 1 OR a.inode <> b.inode OR a.device <> b.device
			OR a.host <> b.host OR a.content_hash <> b.content_hash)
		AND 2 * a.size <= 3 * b.size AND 2 * b.size <= 3 * a.size
) candidate
WHERE distance <= 1 OR 200 * distance <= size_a + size_b
ORDER BY key_a, hash_a, hash_b;

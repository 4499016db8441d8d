-- Which files are similar to one file, at a tolerance of 1 percent?
-- Put your own path in place of /path/to/file.
SELECT distance, 200.0 * distance / (size_a + size_b) AS percent, path
FROM (
	SELECT a.size AS size_a, b.size AS size_b, b.path AS path,
		abs(a.sum_00 - b.sum_00) + abs(a.sum_01 - b.sum_01) + abs(a.sum_02 - b.sum_02)
		+ abs(a.sum_03 - b.sum_03) + abs(a.sum_04 - b.sum_04) + abs(a.sum_05 - b.sum_05)
		+ abs(a.sum_06 - b.sum_06) + abs(a.sum_07 - b.sum_07) + abs(a.sum_08 - b.sum_08)
		+ abs(a.sum_09 - b.sum_09) + abs(a.sum_10 - b.sum_10) + abs(a.sum_11 - b.sum_11)
		+ abs(a.sum_12 - b.sum_12) + abs(a.sum_13 - b.sum_13) + abs(a.sum_14 - b.sum_14)
		+ abs(a.sum_15 - b.sum_15) AS distance
	FROM file_text a JOIN file_text b ON b.tag_set = a.tag_set
		-- the key range: at most 1 percent of the larger size, which is at most 1.5 of a's
		AND b.skew_ext BETWEEN a.skew_ext - 1 - a.size * 15 / 1000
			AND a.skew_ext + 1 + a.size * 15 / 1000
		AND (abs(a.skew_ext - b.skew_ext) <= 1 OR 100 * abs(a.skew_ext - b.skew_ext)
			<= CASE WHEN a.size > b.size THEN a.size ELSE b.size END)
	WHERE a.path = '/path/to/file' AND b.path <> a.path
		AND 2 * a.size <= 3 * b.size AND 2 * b.size <= 3 * a.size
) candidate
WHERE distance <= 1 OR 200 * distance <= size_a + size_b
ORDER BY distance, path;

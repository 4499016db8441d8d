-- Version 11: cells of two sums in which some counts are subtracted. Such sums of two files differ by at most the
-- distance of the files. Together with uniform, these two sums separate different files best. The cell of a file is a
-- cell of a grid over the size class and both sums, and the index on it has an outline of all counts. The views search
-- by the cell instead of the bucket.

-- A cell is twice `reach` wide. `middle` makes every sum positive. The sums of very large files are 0, because
-- they might exceed 64 bits. `has_sums` is then 0.

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

-- One statement changes all columns, because rows are large.
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

-- Version 11: cells of two sums in which some counts are subtracted. Such sums of two files differ by at most the
-- distance of the files. Together with uniform, these two sums separate different files best. The cell of a file is a
-- cell of a grid over the size class and both sums, and the index on it has an outline of all counts. The views still
-- use the bucket, because a server reads whole cells, and buckets have fewer files. simhash ignores the error of a
-- statement that was run before.

-- A cell is twice `reach` wide. `middle` makes every sum positive. The sums of very large files are 0, because
-- they might exceed 64 bits. `has_sums` is then 0.

ALTER TABLE size_class ADD COLUMN middle BIGINT NOT NULL DEFAULT 0;

ALTER TABLE size_class ADD COLUMN has_sums BIGINT NOT NULL DEFAULT 0;

UPDATE size_class SET has_sums = CASE WHEN class < 95 THEN 1 ELSE 0 END,
	middle = CASE WHEN class < 95 THEN 2047 ELSE 1 END * reach;

ALTER TABLE file DROP KEY file_uniform;

ALTER TABLE file ADD COLUMN cell BIGINT NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN signed_1 BIGINT NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN signed_2 BIGINT NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN outline_00 BIGINT NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN outline_08 BIGINT NOT NULL DEFAULT 0;

UPDATE file SET signed_1 = CASE WHEN size < 86854611480951675 THEN sum_00 - sum_01 - sum_02 + sum_03 - sum_04 + sum_05 + sum_06 + sum_07
		+ sum_08 - sum_09 + sum_10 + sum_11 + sum_12 - sum_13 - sum_14 + sum_15
		ELSE 0 END,
	signed_2 = CASE WHEN size < 86854611480951675 THEN -sum_00 + sum_01 + sum_02 - sum_03 - sum_04 + sum_05 + sum_06 - sum_07
		+ sum_08 - sum_09 - sum_10 - sum_11 + sum_12 + sum_13 - sum_14 + sum_15
		ELSE 0 END;

UPDATE file SET cell = (
	SELECT c.class * 16777216 + (signed_1 + c.middle + c.reach) DIV (2 * c.reach) * 4096
		+ (signed_2 + c.middle + c.reach) DIV (2 * c.reach)
	FROM size_class c
	WHERE c.low <= GREATEST(1, file.size) ORDER BY c.low DESC LIMIT 1
), outline_00 = (
	SELECT sum_00 DIV (c.reach DIV 30 + 1) % 128
			+ sum_01 DIV (c.reach DIV 30 + 1) % 128 * 128
			+ sum_02 DIV (c.reach DIV 30 + 1) % 128 * 16384
			+ sum_03 DIV (c.reach DIV 30 + 1) % 128 * 2097152
			+ sum_04 DIV (c.reach DIV 30 + 1) % 128 * 268435456
			+ sum_05 DIV (c.reach DIV 30 + 1) % 128 * 34359738368
			+ sum_06 DIV (c.reach DIV 30 + 1) % 128 * 4398046511104
			+ sum_07 DIV (c.reach DIV 30 + 1) % 128 * 562949953421312
	FROM size_class c
	WHERE c.low <= GREATEST(1, file.size) ORDER BY c.low DESC LIMIT 1
), outline_08 = (
	SELECT sum_08 DIV (c.reach DIV 30 + 1) % 128
			+ sum_09 DIV (c.reach DIV 30 + 1) % 128 * 128
			+ sum_10 DIV (c.reach DIV 30 + 1) % 128 * 16384
			+ sum_11 DIV (c.reach DIV 30 + 1) % 128 * 2097152
			+ sum_12 DIV (c.reach DIV 30 + 1) % 128 * 268435456
			+ sum_13 DIV (c.reach DIV 30 + 1) % 128 * 34359738368
			+ sum_14 DIV (c.reach DIV 30 + 1) % 128 * 4398046511104
			+ sum_15 DIV (c.reach DIV 30 + 1) % 128 * 562949953421312
	FROM size_class c
	WHERE c.low <= GREATEST(1, file.size) ORDER BY c.low DESC LIMIT 1
);

ALTER TABLE file ADD KEY file_cell
	(tag_set, cell, uniform, size, skew_ext, signed_1, signed_2, outline_00, outline_08);

ALTER TABLE file ADD KEY file_uniform (tag_set, uniform, size);

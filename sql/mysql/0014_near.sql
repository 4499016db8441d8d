-- Version 14: the index on bucket also has the signed sums, and the view of near pairs reads this index from beginning
-- to end. The index has all columns that the conditions on b need, so the server reads only the rows of pairs.

ALTER TABLE file DROP KEY file_bucket,
	ADD KEY file_bucket (tag_set, bucket, uniform, size, skew_ext, signed_1, signed_2);

-- Version 14: the index on bucket has the signed sums, too, and the view of near pairs goes through
-- it from its beginning to its end. All that b has to meet is in the index: the server checks it
-- there, and reads rows of pairs only.

ALTER TABLE file DROP KEY file_bucket,
	ADD KEY file_bucket (tag_set, bucket, uniform, size, skew_ext, signed_1, signed_2);

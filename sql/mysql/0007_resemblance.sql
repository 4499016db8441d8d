-- Version 7: the resemblance sketch of a file's content, 128 bytes. It is empty if no shingle was sampled, as in
-- contents of fewer than 16 bytes. It is NULL if simhash made no sketch. It is the last column, so the server adds it
-- without rewriting rows. simhash ignores the error of a statement that was run before.
ALTER TABLE file ADD COLUMN resemblance_sketch VARBINARY(128);

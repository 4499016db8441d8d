-- Version 7: the resemblance sketch of a file's content, 128 bytes. It is empty if no shingle was sampled, for example
-- if the content is shorter than 16 bytes. It is NULL if simhash made no sketch.
ALTER TABLE file ADD COLUMN resemblance_sketch BLOB;

-- Version 7: the resemblance sketch of a file's content, 128 bytes; empty where no shingle
-- was sampled, as in contents of fewer than 16 bytes; NULL where none was made. As the last
-- column it is added at once, without rewriting rows. A statement that was run before fails,
-- and that is passed over.
ALTER TABLE file ADD COLUMN resemblance_sketch VARBINARY(128);

-- Version 3: how many hard links a file had, 0 where that is not known; and, for
-- the inflated content of a gzip file, the size of that file, 0 for all others. A
-- statement that was run before fails, and that is passed over.

ALTER TABLE file ADD COLUMN links BIGINT NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN compressed_size BIGINT NOT NULL DEFAULT 0;

-- Version 3: how many hard links a file had, 0 where that is not known; and, for
-- the inflated content of a gzip file, the size of that file, 0 for all others.

ALTER TABLE file ADD COLUMN links INTEGER NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN compressed_size INTEGER NOT NULL DEFAULT 0;

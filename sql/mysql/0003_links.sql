-- Version 3: the number of hard links of a file, 0 if it is unknown; and for the inflated content of a gzip file the
-- size of this file, 0 for all other rows. simhash ignores the error of a statement that was run before.

ALTER TABLE file ADD COLUMN links BIGINT NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN compressed_size BIGINT NOT NULL DEFAULT 0;

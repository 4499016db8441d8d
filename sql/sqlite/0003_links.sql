-- Version 3: the number of hard links of a file, 0 if it is unknown; and for the inflated content of a gzip file the
-- size of this file, 0 for all other rows.

ALTER TABLE file ADD COLUMN links INTEGER NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN compressed_size INTEGER NOT NULL DEFAULT 0;

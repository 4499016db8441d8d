-- Version 10: what simhash -z knows of the members of a file, see docs/schema.md. 0: it did not look.
ALTER TABLE file ADD COLUMN contents INTEGER NOT NULL DEFAULT 0;

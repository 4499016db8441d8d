-- Version 10: what simhash -z knows of the members of a file, see docs/schema.md. 0: it did not look.
-- As the last column it is added at once, without rewriting rows. A statement that was run before
-- fails, and that is passed over.
ALTER TABLE file ADD COLUMN contents BIGINT NOT NULL DEFAULT 0;

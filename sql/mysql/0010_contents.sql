-- Version 10: whether simhash -z looked for members in a file, see docs/schema.md. 0: it did not look. It is the last
-- column, so the server adds it without rewriting rows. simhash ignores the error of a statement that was run before.
ALTER TABLE file ADD COLUMN contents BIGINT NOT NULL DEFAULT 0;

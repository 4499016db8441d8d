-- Version 10: the kinds of members that simhash -z looked for in a file, or 0 if it did not look; see docs/schema.md.
-- It is the last column, so the server adds it without rewriting rows. simhash ignores the error of a statement that
-- was run before.
ALTER TABLE file ADD COLUMN contents BIGINT NOT NULL DEFAULT 0;

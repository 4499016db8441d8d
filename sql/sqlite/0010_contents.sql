-- Version 10: the kinds of members that simhash -z looked for in a file, or 0 if it did not look; see docs/schema.md.
ALTER TABLE file ADD COLUMN contents INTEGER NOT NULL DEFAULT 0;

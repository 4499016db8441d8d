-- Version 10: whether simhash -z looked for members in a file, see docs/schema.md. 0: it did not look.
ALTER TABLE file ADD COLUMN contents INTEGER NOT NULL DEFAULT 0;

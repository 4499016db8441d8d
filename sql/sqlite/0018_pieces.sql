-- Version 18: the pieces of each content, a sample of its shingles with a fixed density. The column `pieces` of a row is
-- 1 if the pieces of its content were made. It is 0 in existing rows; the next run of simhash reads these files again.

ALTER TABLE file ADD COLUMN pieces INTEGER NOT NULL DEFAULT 0;

-- For the text of a document: when it was last changed, as its own properties say, in nanoseconds since 1970; or 0.
ALTER TABLE file ADD COLUMN document_time INTEGER NOT NULL DEFAULT 0;

-- One row for each content. The rows are stored in the order of writing, because this is faster than the order of
-- hashes. is_text is 1 for the text of a document, whose content_hash is the hash of the document.
CREATE TABLE pieces (
	tag_set      INTEGER NOT NULL,
	content_hash BLOB    NOT NULL,
	is_text      INTEGER NOT NULL,
	size         INTEGER NOT NULL,
	value        BLOB    NOT NULL,
	PRIMARY KEY (tag_set, content_hash, is_text, size)
);

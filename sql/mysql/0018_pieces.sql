-- Version 18: the pieces of each content, a sample of its shingles with a fixed density. The column `pieces` of a row is
-- 1 if the pieces of its content were made. It is 0 in existing rows; the next run of simhash reads these files again.
-- Each statement can be run again.

ALTER TABLE file ADD COLUMN pieces BIGINT NOT NULL DEFAULT 0;

-- For the text of a document: when it was last changed, as its own properties say, in nanoseconds since 1970; or 0.
ALTER TABLE file ADD COLUMN document_time BIGINT NOT NULL DEFAULT 0;

-- One row for each content. is_text is 1 for the text of a document, whose content_hash is the hash of the document.
CREATE TABLE IF NOT EXISTS pieces (
	tag_set      BIGINT     NOT NULL,
	content_hash BINARY(16) NOT NULL,
	is_text      BIGINT     NOT NULL,
	size         BIGINT     NOT NULL,
	value        MEDIUMBLOB NOT NULL,
	PRIMARY KEY (tag_set, content_hash, is_text, size)
);

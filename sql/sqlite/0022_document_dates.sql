-- Version 22: when a document was created, and how often it was saved, by its own properties; 0: unknown. The column
-- document_time is now also set for PDFs. Existing rows are filled in when their files are read again.

ALTER TABLE file ADD COLUMN document_created INTEGER NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN document_revision INTEGER NOT NULL DEFAULT 0;

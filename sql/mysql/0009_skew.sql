-- Version 9: without the index of skew_ext, which no search and no view uses. A statement that was
-- run before fails, and that is passed over.

ALTER TABLE file DROP KEY file_skew_ext;

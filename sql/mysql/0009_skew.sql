-- Version 9: removes the index on skew_ext, which no search and no view uses. simhash ignores the error of a
-- statement that was run before.

ALTER TABLE file DROP KEY file_skew_ext;

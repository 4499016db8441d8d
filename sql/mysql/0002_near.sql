-- Version 2: the index on uniform also has the columns that show whether a row can be near to a file, so most rows need
-- not be read. simhash ignores the error of a statement that was run before.

ALTER TABLE file DROP KEY file_uniform;

ALTER TABLE file ADD KEY file_uniform (tag_set, uniform, size, skew_ext, scatter);

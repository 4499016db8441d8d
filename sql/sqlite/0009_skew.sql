-- Version 9: without the index of skew_ext, which no search and no view uses.

DROP INDEX IF EXISTS file_skew_ext;

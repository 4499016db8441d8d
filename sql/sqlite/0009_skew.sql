-- Version 9: removes the index on skew_ext, which no search and no view uses.

DROP INDEX IF EXISTS file_skew_ext;

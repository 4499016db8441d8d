-- Version 2: the index on uniform also has the columns that show whether a row can be near to a file, so most rows need
-- not be read. after_load.sql creates it.

DROP INDEX IF EXISTS file_uniform;

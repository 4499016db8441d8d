-- Version 2: the index of uniform also has what shows, without reading the row,
-- whether a row can be near to a file. It is made by after_load.sql.

DROP INDEX IF EXISTS file_uniform;

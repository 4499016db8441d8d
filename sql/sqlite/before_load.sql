-- A first load is faster without these indexes; after_load.sql creates them again.

DROP INDEX IF EXISTS file_uniform;

DROP INDEX IF EXISTS file_cell;

DROP INDEX IF EXISTS directory_path;

DROP INDEX IF EXISTS directory_text;

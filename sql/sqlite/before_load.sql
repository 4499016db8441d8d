-- What a first load is faster without; after_load.sql makes it again.

DROP INDEX IF EXISTS file_skew_ext;

DROP INDEX IF EXISTS file_uniform;

DROP INDEX IF EXISTS file_bucket;

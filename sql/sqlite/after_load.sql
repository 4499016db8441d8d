-- The secondary indexes of file. They are created after the first load, which is faster
-- without them, or when the index is next opened for writing if that load was cut off.

-- Sorting may take as much memory as the cache, beside it.
PRAGMA cache_size = -16384;

-- Covers the columns that decide whether a row can be near a file.
CREATE INDEX IF NOT EXISTS file_uniform ON file (tag_set, uniform, size, skew_ext, scatter);

-- For the views similar_pair and similar_file: similar files are in equal or adjacent buckets.
CREATE INDEX IF NOT EXISTS file_bucket ON file (tag_set, bucket, uniform, size, skew_ext);

PRAGMA cache_size = -32768;

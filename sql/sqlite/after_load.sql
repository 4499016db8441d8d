-- The secondary indexes of file and directory. They are created after the first load, because the load is
-- faster without them. After an interrupted load the next run that writes creates them.

-- Sorting may take as much memory as the cache, in addition to the cache.
PRAGMA cache_size = -16384;

-- For searching parts of the key space. This index has all columns that decide whether a row reaches into a part.
CREATE INDEX IF NOT EXISTS file_uniform ON file (tag_set, uniform, size);

-- Similar files are in the same cell or in adjacent cells. This index has all columns that decide whether a row can be
-- near to a file.
CREATE INDEX IF NOT EXISTS file_cell
ON file (tag_set, cell, uniform, size, skew_ext, signed_1, signed_2, outline_00, outline_08);

-- Finds subdirectories, by the bytes of the path and by its text.
CREATE INDEX IF NOT EXISTS directory_path ON directory (tag_set, host, path);

CREATE INDEX IF NOT EXISTS directory_text ON directory (tag_set, host, CAST(path AS TEXT));

PRAGMA cache_size = -32768;

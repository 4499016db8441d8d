-- The secondary indexes of file and directory. They are created after the first load, because the load is
-- faster without them. After an interrupted load the next run that writes creates them.

-- Sorting can use as much memory as this cache, in addition to the cache. So the cache is halved meanwhile.
PRAGMA cache_size = -16384;

-- For searches of one part of the key space. This index has all columns that show whether a file belongs to the part, or
-- is near enough to be similar to a file of the part. So the search reads only the rows of these files.
CREATE INDEX IF NOT EXISTS file_uniform ON file (tag_set, uniform, size);

-- Similar files are in the same cell or in adjacent cells. This index has all columns that decide whether a row can be
-- near to a file.
CREATE INDEX IF NOT EXISTS file_cell
ON file (tag_set, cell, uniform, size, skew_ext, signed_1, signed_2, outline_00, outline_08);

-- Finds subdirectories, by the bytes of the path and by its text.
CREATE INDEX IF NOT EXISTS directory_path ON directory (tag_set, host, path);

CREATE INDEX IF NOT EXISTS directory_text ON directory (tag_set, host, CAST(path AS TEXT));

PRAGMA cache_size = -32768;

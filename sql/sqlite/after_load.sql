-- The secondary indexes of file and directory. They are created after the first load, which is faster
-- without them, or when the index is next opened for writing if that load was cut off.

-- Sorting may take as much memory as the cache, beside it.
PRAGMA cache_size = -16384;

-- For parts of the key space; covers what decides whether a row reaches into one.
CREATE INDEX IF NOT EXISTS file_uniform ON file (tag_set, uniform, size);

-- Similar files are in equal or adjacent cells. Covers what decides whether a row can be near a file.
CREATE INDEX IF NOT EXISTS file_cell
ON file (tag_set, cell, uniform, size, skew_ext, signed_1, signed_2, outline_00, outline_08);

-- What is below a directory, by the bytes of its path and by the text that people write.
CREATE INDEX IF NOT EXISTS directory_path ON directory (tag_set, host, path);

CREATE INDEX IF NOT EXISTS directory_text ON directory (tag_set, host, CAST(path AS TEXT));

PRAGMA cache_size = -32768;

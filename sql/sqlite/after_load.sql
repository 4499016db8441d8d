-- The indexes of file by key. They are made when an index is opened for writing
-- and has them not: after its first load, which is faster without them, or after
-- a first load that was cut off.

CREATE INDEX IF NOT EXISTS file_skew_ext ON file (tag_set, skew_ext);

-- Whether a row can be near to a file is seen here without reading the row.
CREATE INDEX IF NOT EXISTS file_uniform ON file (tag_set, uniform, size, skew_ext, scatter);

-- Cells in which similar files lie together, for the views similar_pair and similar_file.
CREATE INDEX IF NOT EXISTS file_bucket ON file (tag_set, bucket, uniform, size, skew_ext);

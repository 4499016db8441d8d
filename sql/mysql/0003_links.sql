-- Version 3: how many hard links a file had, 0 where that is not known; and, for
-- the inflated content of a gzip file, the size of that file, 0 for all others. A
-- statement that was run before fails, and that is passed over.

ALTER TABLE file ADD COLUMN links BIGINT NOT NULL DEFAULT 0;

ALTER TABLE file ADD COLUMN compressed_size BIGINT NOT NULL DEFAULT 0;

CREATE OR REPLACE VIEW file_text AS
SELECT t.name AS tag_set, h.name AS host,
	CONCAT(CASE WHEN f.directory = X'2f' THEN '' ELSE CONVERT(f.directory USING utf8mb4) END,
		'/', CONVERT(f.name USING utf8mb4)) AS path,
	CONVERT(f.directory USING utf8mb4) AS directory, CONVERT(f.name USING utf8mb4) AS name,
	CONVERT(f.extension USING utf8mb4) AS extension, f.size, f.compressed_size, f.links,
	DATE_ADD('1970-01-01', INTERVAL f.mtime_ns DIV 1000000000 SECOND) AS modified_utc,
	LOWER(HEX(f.content_hash)) AS content_hash,
	f.sum_00, f.sum_01, f.sum_02, f.sum_03, f.sum_04, f.sum_05, f.sum_06, f.sum_07,
	f.sum_08, f.sum_09, f.sum_10, f.sum_11, f.sum_12, f.sum_13, f.sum_14, f.sum_15,
	f.uniform, f.scatter, f.skew, f.uniform_ext, f.scatter_ext, f.skew_ext
FROM file f JOIN tag_set t ON t.id = f.tag_set JOIN host h ON h.id = f.host;

-- Names of one file are one; what is inflated is no file to remove.
CREATE OR REPLACE VIEW duplicate AS
SELECT tag_set, LOWER(HEX(content_hash)) AS content_hash, size, COUNT(*) AS files,
	size * (COUNT(*) - 1) AS spare_bytes
FROM (
	SELECT DISTINCT tag_set, host, content_hash, size, device, inode,
		CASE WHEN links = 1 THEN path_hash ELSE X'' END AS own_path
	FROM file WHERE size > 0 AND compressed_size = 0
) one_file
GROUP BY tag_set, one_file.content_hash, size HAVING COUNT(*) > 1;

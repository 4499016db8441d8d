-- Which files were damaged, how much of each, and where is another file with the right content?
SELECT d.path, d.different_bytes, d.size, MIN(f.path) AS other_file
FROM damaged_file d
LEFT JOIN file_text f ON f.tag_set = d.tag_set AND f.content_hash = d.content_hash AND f.size = d.size
	AND (f.host <> d.host OR f.path <> d.path)
	AND NOT EXISTS (SELECT 1 FROM damaged_file o WHERE o.host = f.host AND o.path = f.path)
GROUP BY d.path, d.different_bytes, d.size
ORDER BY d.path;

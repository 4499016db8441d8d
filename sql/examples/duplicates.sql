-- Which files have the same content?
SELECT d.spare_bytes, d.files, t.host, t.path
FROM duplicate d JOIN file_text t ON t.content_hash = d.content_hash AND t.size = d.size
WHERE t.compressed_size = 0 AND CASE WHEN t.tag_set = d.tag_set THEN 1 END = 1
ORDER BY d.spare_bytes DESC, d.content_hash, t.host, t.path
LIMIT 40;

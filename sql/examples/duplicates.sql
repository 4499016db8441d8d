-- Which files have the same content?
SELECT d.spare_bytes, d.files, t.host, t.path
FROM duplicate d JOIN file_text t ON t.tag_set = d.tag_set AND t.content_hash = d.content_hash
	AND t.size = d.size AND t.compressed_size = 0
ORDER BY d.spare_bytes DESC, d.content_hash, t.host, t.path
LIMIT 40;

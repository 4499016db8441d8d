-- How many bytes are saved by removing all copies but one, the largest savings first?
SELECT spare_bytes, files, size, content_hash
FROM duplicate
ORDER BY spare_bytes DESC, content_hash
LIMIT 20;

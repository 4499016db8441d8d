-- How much space is freed if all copies but one are removed? The largest savings come first.
SELECT spare_bytes, files, size, content_hash
FROM duplicate
ORDER BY spare_bytes DESC, content_hash
LIMIT 20;

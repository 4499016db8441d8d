-- What would removing all copies but one save, the largest savings first?
SELECT spare_bytes, files, size, content_hash
FROM duplicate
ORDER BY spare_bytes DESC, content_hash
LIMIT 20;

-- Which files were modified most recently?
SELECT modified_utc, size, host, path
FROM file_text
ORDER BY modified_utc DESC, host, path
LIMIT 5;

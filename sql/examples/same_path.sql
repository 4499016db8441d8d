-- Which paths do several hosts have, and with how many different contents?
SELECT path, COUNT(*) AS hosts, COUNT(DISTINCT content_hash) AS contents, MAX(modified_utc) AS last_modified
FROM file_text
WHERE compressed_size = 0
GROUP BY tag_set, path
HAVING COUNT(*) > 1
ORDER BY contents DESC, path
LIMIT 20;

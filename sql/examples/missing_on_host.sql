-- Which files have a content that exists on one host and not on another? The largest come first.
SELECT size, path
FROM file_text
WHERE host = 'alpha' AND size > 0 AND compressed_size = 0
	AND content_hash NOT IN (SELECT content_hash FROM file_text WHERE host = 'beta')
ORDER BY size DESC, path
LIMIT 20;

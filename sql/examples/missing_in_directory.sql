-- Which files below one directory have a content that no file below another directory has? The largest come first.
SELECT size, path
FROM file_text
WHERE host = 'alpha' AND (directory = '/sample/letters' OR directory LIKE '/sample/letters/%')
	AND size > 0 AND compressed_size = 0
	AND content_hash NOT IN (SELECT content_hash FROM file_text
		WHERE host = 'alpha' AND (directory = '/sample/backup' OR directory LIKE '/sample/backup/%'))
ORDER BY size DESC, path
LIMIT 20;

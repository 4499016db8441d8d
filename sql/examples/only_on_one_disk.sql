-- Which files below a directory exist on no other file system and no other host? The largest come first.
SELECT size, files, path
FROM file_copies
WHERE host = 'alpha' AND (directory = '/sample/letters' OR directory LIKE '/sample/letters/%') AND file_systems = 1
ORDER BY size DESC, path
LIMIT 20;

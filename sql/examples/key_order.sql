-- Which files are neighbours in the order of the default key?
SELECT host, path, size, skew_ext
FROM file_text
ORDER BY skew_ext, host, path
LIMIT 20;

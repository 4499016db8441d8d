-- Which files lie next to each other in the order of the standard key?
SELECT host, path, size, skew_ext
FROM file_text
ORDER BY skew_ext, host, path
LIMIT 20;

-- Which files lie next to each other in the order of the standard key?
SELECT directory, name, size, skew_ext
FROM file
ORDER BY skew_ext, host, path_hash
LIMIT 20;

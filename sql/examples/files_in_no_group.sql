-- Which files are similar to no other one, the largest first?
SELECT host, path, size
FROM ungrouped_file
ORDER BY size DESC, host, path
LIMIT 20;

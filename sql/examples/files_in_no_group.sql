-- Which files resemble no other file? The largest come first.
SELECT host, path, size
FROM ungrouped_file
ORDER BY size DESC, host, path
LIMIT 20;

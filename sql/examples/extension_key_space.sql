-- Which part of the key space does each extension take, and how full is it?
SELECT extension, files, bytes, least_skew, largest_skew
FROM extension_statistics
ORDER BY files DESC, extension
LIMIT 20;

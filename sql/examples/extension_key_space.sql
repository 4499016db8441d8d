-- Which part of the key space does each extension use, and with how many files?
SELECT extension, files, bytes, least_skew, largest_skew
FROM extension_statistics
ORDER BY files DESC, extension
LIMIT 20;

-- What are the keys of text files, by size? These are Figures 3 and 4 of the paper.
SELECT from_size, files, bytes, least_skew, largest_skew
FROM key_space
WHERE extension = 'txt'
ORDER BY from_size;

-- Which files are in the group of one file, and how much of their content do they have in common with its
-- representative?
SELECT g.role, ROUND(100 * g.resemblance, 1) AS percent, g.host, g.path
FROM grouped_file f JOIN grouped_file g ON g.run = f.run AND g.group_id = f.group_id
WHERE f.host = 'alpha' AND f.path = '/sample/letters/april-2.txt'
ORDER BY g.resemblance DESC, g.host, g.path;

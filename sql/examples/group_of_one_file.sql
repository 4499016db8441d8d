-- Which files are in the group of one file, and how much of their content do they have in common with its
-- representative?
SELECT role, ROUND(100 * resemblance, 4) AS percent, host, path
FROM grouped_file
WHERE group_id IN (
	SELECT group_id FROM grouped_file WHERE host = 'alpha' AND path = '/sample/letters/april-2.txt')
ORDER BY resemblance DESC, host, path;

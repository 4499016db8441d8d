-- Which files are in the group of one file, and how much do they resemble the first file of the group?
SELECT role, ROUND(100 * resemblance, 4) AS percent, host, path
FROM grouped_file
WHERE group_id IN (
	SELECT group_id FROM grouped_file WHERE host = 'alpha' AND path = '/sample/letters/april-2.txt')
ORDER BY resemblance DESC, host, path;

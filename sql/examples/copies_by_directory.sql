-- How much space do copies take in each directory? A file with several names counts once, at its first name.
SELECT host, directory, COUNT(*) AS copies, SUM(size) AS bytes
FROM (
	SELECT host, MIN(directory) AS directory, MIN(size) AS size
	FROM grouped_file
	GROUP BY run, host, file_id
	HAVING MAX(role) = 'copy'
) AS one_file
GROUP BY host, directory
ORDER BY bytes DESC, host, directory
LIMIT 20;

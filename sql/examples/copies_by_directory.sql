-- How much do copies take in each directory?
SELECT host, directory, COUNT(*) AS copies, SUM(size) AS bytes
FROM grouped_file
WHERE role = 'copy'
GROUP BY host, directory
ORDER BY bytes DESC, host, directory
LIMIT 20;

-- Which files below one directory have a file with similar counts below another?
SELECT CASE WHEN path_a LIKE '/sample/letters/%' THEN path_a ELSE path_b END AS letter,
	CASE WHEN path_a LIKE '/sample/letters/%' THEN path_b ELSE path_a END AS backup,
	CASE WHEN path_a LIKE '/sample/letters/%' THEN host_b ELSE host_a END AS backup_host,
	distance
FROM similar_pair
WHERE (path_a LIKE '/sample/letters/%' AND path_b LIKE '/sample/backup/%')
	OR (path_b LIKE '/sample/letters/%' AND path_a LIKE '/sample/backup/%')
ORDER BY letter, backup, backup_host;

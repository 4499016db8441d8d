-- What was indexed, and did every run finish? A run without an end was interrupted.
SELECT id, host, root, files, bytes, errors,
	CASE WHEN finished_utc IS NULL THEN 'cut off' ELSE 'finished' END AS ending
FROM run_text
ORDER BY id;

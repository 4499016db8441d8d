-- What was indexed, and did every run finish? A run without an end was cut off.
SELECT r.id, h.name AS host, t.name AS tag_set, r.root, r.files, r.bytes, r.errors,
	CASE WHEN r.finished_at_ns IS NULL THEN 'cut off' ELSE 'finished' END AS ending
FROM scan_run r JOIN host h ON h.id = r.host JOIN tag_set t ON t.id = r.tag_set
ORDER BY r.id;

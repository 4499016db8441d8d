-- Version 6: the measure bottom:least=N is called bottomk:k=N. Names are bytes, as the program writes them,
-- so their type does not change.
UPDATE measure SET name = CASE typeof(name)
	WHEN 'blob' THEN CAST('bottomk:' || replace(substr(CAST(name AS TEXT), 8), 'least=', 'k=') AS BLOB)
	ELSE 'bottomk:' || replace(substr(name, 8), 'least=', 'k=') END
WHERE CAST(name AS TEXT) LIKE 'bottom:%';

-- Version 6: the measure bottom:least=N is called bottomk:k=N. The new names are bytes, as the program writes them, so
-- the column keeps its type.
UPDATE measure SET name = CASE typeof(name)
	WHEN 'blob' THEN CAST('bottomk:' || replace(substr(CAST(name AS TEXT), 8), 'least=', 'k=') AS BLOB)
	ELSE 'bottomk:' || replace(substr(name, 8), 'least=', 'k=') END
WHERE CAST(name AS TEXT) LIKE 'bottom:%';

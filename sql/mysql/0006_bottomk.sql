-- Version 6: the measure bottom:least=N is called bottomk:k=N. The statement can be run again.
UPDATE measure SET name = CONCAT('bottomk:', REPLACE(SUBSTRING(name, 8), 'least=', 'k='))
WHERE name LIKE 'bottom:%';

-- Which files of one directory have counts similar to a file below another directory?
SELECT name, similar_host, similar_path, distance
FROM similar_file
WHERE directory = '/sample/letters' AND SUBSTR(similar_path, 1, 15) = '/sample/backup/'
ORDER BY name, similar_path, similar_host;

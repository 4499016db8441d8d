-- Which files of one directory have a file with similar counts below another one?
SELECT name, similar_host, similar_path, distance
FROM similar_file
WHERE directory = '/sample/letters' AND SUBSTR(similar_path, 1, 15) = '/sample/backup/'
ORDER BY name, similar_path, similar_host;

-- Which files have counts similar to those of one file? Name it by its directory and name.
SELECT ROUND(percent, 2) AS percent, distance, similar_host, similar_path
FROM similar_file
WHERE directory = '/sample/letters' AND name = 'april.txt'
ORDER BY distance, similar_path;

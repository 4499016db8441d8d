-- Which files have counts similar to one file? Name this file by its directory and name.
SELECT ROUND(count_difference, 2) AS count_difference, distance, similar_host, similar_path
FROM similar_file
WHERE directory = '/sample/letters' AND name = 'april.txt'
ORDER BY distance, similar_path;

-- Which files share a cluster of another measure? This query needs simhash --measure.
SELECT measure, COUNT(*) AS files, MIN(path) AS one_of_them
FROM sketched_file
WHERE SUBSTR(measure, 1, 8) IN ('minhash:', 'bottomk:')
GROUP BY tag_set, measure, cluster
HAVING COUNT(*) > 1
ORDER BY files DESC, one_of_them
LIMIT 20;

-- Clusters: the files whose cluster key of a measure is the same, the largest clusters
-- first. Needs an index made with simhash --measure=minhash or --measure=bottom.
SELECT measure, cluster, count(*) AS files, min(path) AS one_of_them
FROM sketched_file
GROUP BY measure, cluster
HAVING count(*) > 1
ORDER BY files DESC, one_of_them
LIMIT 20

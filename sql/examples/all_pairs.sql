-- Which pairs of files are similar, at a tolerance of 1 percent? Copies are left out.
SELECT ROUND(percent, 2) AS percent, distance, path_a, host_b, path_b
FROM similar_pair
WHERE is_copy = 0
ORDER BY distance, path_a, host_b, path_b
LIMIT 20;

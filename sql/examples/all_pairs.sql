-- Which pairs of files have similar counts, within 1 percent? Without copies.
SELECT ROUND(percent, 2) AS percent, distance, path_a, host_b, path_b
FROM similar_pair
WHERE is_copy = 0
ORDER BY distance, path_a, host_b, path_b
LIMIT 20;

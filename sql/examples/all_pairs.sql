-- Which pairs of files of 5 to 6 kB have similar counts, within 1 percent? Without copies.
SELECT ROUND(percent, 2) AS percent, distance, path_a, host_b, path_b
FROM similar_pair
WHERE is_copy = 0 AND size_a BETWEEN 5000 AND 6000
ORDER BY distance, path_a, host_b, path_b
LIMIT 20;

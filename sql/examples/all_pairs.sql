-- Which files of 5 to 6 kB have counts that differ by at most 1 percent? Copies are left out.
SELECT ROUND(count_difference, 2) AS count_difference, distance, path_a, host_b, path_b
FROM similar_pair
WHERE is_copy = 0 AND size_a BETWEEN 5000 AND 6000
ORDER BY distance, path_a, host_b, path_b
LIMIT 20;

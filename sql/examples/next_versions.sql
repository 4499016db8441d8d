-- Which files are versions of each other: similar, verified and not identical?
SELECT ROUND(100 * resemblance, 1) AS percent, verified, path_a, host_b, path_b
FROM found_pair
WHERE is_copy = 0 AND resemblance >= 0.9
ORDER BY resemblance DESC, path_a, host_b, path_b
LIMIT 20;

-- How many pairs does each extension have, and how many of them are copies?
SELECT extension_a AS extension, COUNT(*) AS pairs, SUM(is_copy) AS copies
FROM found_pair
WHERE extension_a = extension_b
GROUP BY extension_a
ORDER BY pairs DESC, extension_a;

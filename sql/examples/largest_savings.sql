-- Which groups of similar files would save the most if all copies in them were given up? This and the
-- next examples need simfind --store.
SELECT copied_bytes, copies, files, bytes, group_id, representative_host, representative_path
FROM similar_group
ORDER BY copied_bytes DESC, bytes DESC, group_id
LIMIT 20;

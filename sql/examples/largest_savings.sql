-- Which groups free the most space if their copies are removed? This and the next queries need
-- simfind --store.
SELECT copied_bytes, copies, files, bytes, group_id, representative_host, representative_path
FROM similar_group
ORDER BY copied_bytes DESC, bytes DESC, group_id
LIMIT 20;

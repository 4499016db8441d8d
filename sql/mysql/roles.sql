-- The least privileges that each kind of user needs. Create the users first, such as
--     CREATE USER simhash_writer@'%' IDENTIFIED BY '...' REQUIRE SSL;
-- and replace the names and hosts below by your own. A version of simhash that needs a
-- new schema reports it; then run simhash --init-database again.

-- A user who writes: simhash, on every host, and simfind --store.
GRANT SELECT ON {database}.schema_version TO simhash_writer@'%';
GRANT SELECT, INSERT ON {database}.tag_set TO simhash_writer@'%';
GRANT SELECT, INSERT ON {database}.tag TO simhash_writer@'%';
GRANT SELECT, INSERT ON {database}.host TO simhash_writer@'%';
GRANT SELECT, INSERT, UPDATE ON {database}.scan_run TO simhash_writer@'%';
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.directory TO simhash_writer@'%';
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.file TO simhash_writer@'%';
GRANT SELECT, INSERT, DELETE ON {database}.measure TO simhash_writer@'%';
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.sketch TO simhash_writer@'%';
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.find_run TO simhash_writer@'%';
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.file_group TO simhash_writer@'%';
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.file_pair TO simhash_writer@'%';

-- A user who reads: simfind, and simhash --status.
GRANT SELECT ON {database}.schema_version TO simhash_reader@'%';
GRANT SELECT ON {database}.tag_set TO simhash_reader@'%';
GRANT SELECT ON {database}.tag TO simhash_reader@'%';
GRANT SELECT ON {database}.host TO simhash_reader@'%';
GRANT SELECT ON {database}.scan_run TO simhash_reader@'%';
GRANT SELECT ON {database}.directory TO simhash_reader@'%';
GRANT SELECT ON {database}.file TO simhash_reader@'%';
GRANT SELECT ON {database}.find_run TO simhash_reader@'%';
GRANT SELECT ON {database}.measure TO simhash_reader@'%';
GRANT SELECT ON {database}.sketch TO simhash_reader@'%';

-- A user who queries with SQL sees the views only.
GRANT SELECT ON {database}.file_text TO simhash_sql@'%';
GRANT SELECT ON {database}.similar_pair TO simhash_sql@'%';
GRANT SELECT ON {database}.similar_file TO simhash_sql@'%';
GRANT SELECT ON {database}.duplicate TO simhash_sql@'%';
GRANT SELECT ON {database}.key_space TO simhash_sql@'%';
GRANT SELECT ON {database}.extension_statistics TO simhash_sql@'%';
GRANT SELECT ON {database}.sketched_file TO simhash_sql@'%';
GRANT SELECT ON {database}.run_text TO simhash_sql@'%';
GRANT SELECT ON {database}.similar_group TO simhash_sql@'%';
GRANT SELECT ON {database}.grouped_file TO simhash_sql@'%';
GRANT SELECT ON {database}.ungrouped_file TO simhash_sql@'%';
GRANT SELECT ON {database}.found_pair TO simhash_sql@'%';
GRANT SELECT ON {database}.find_run_text TO simhash_sql@'%';

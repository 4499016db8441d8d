-- Users of the index in {database}. Each has only the privileges that it needs. As the administrator of the server,
-- pipe these statements to mariadb. You can run them again. Existing users keep their passwords and privileges, unless
-- you ask for other ones. If a new version of simhash reports that it needs a new schema, pipe the output of simhash
-- --init-database to mariadb again.
--
{users}
-- This user writes to the index. simhash uses it on every host, and so does simfind --store.
GRANT SELECT ON {database}.schema_version TO {writer};
GRANT SELECT, INSERT ON {database}.tag_set TO {writer};
GRANT SELECT, INSERT ON {database}.tag TO {writer};
GRANT SELECT, INSERT ON {database}.host TO {writer};
GRANT SELECT, INSERT, UPDATE ON {database}.scan_run TO {writer};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.directory TO {writer};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.file TO {writer};
GRANT SELECT, INSERT, UPDATE ON {database}.commit_count TO {writer};
GRANT SELECT, INSERT ON {database}.filter_command TO {writer};
GRANT SELECT, INSERT, DELETE ON {database}.measure TO {writer};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.sketch TO {writer};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.pieces TO {writer};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.damage TO {writer};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.find_run TO {writer};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.file_group TO {writer};
GRANT SELECT, INSERT, UPDATE, DELETE ON {database}.file_pair TO {writer};

-- This user reads the index. simfind uses it, and so does simhash --status.
GRANT SELECT ON {database}.schema_version TO {reader};
GRANT SELECT ON {database}.tag_set TO {reader};
GRANT SELECT ON {database}.tag TO {reader};
GRANT SELECT ON {database}.host TO {reader};
GRANT SELECT ON {database}.scan_run TO {reader};
GRANT SELECT ON {database}.directory TO {reader};
GRANT SELECT ON {database}.file TO {reader};
GRANT SELECT ON {database}.commit_count TO {reader};
GRANT SELECT ON {database}.filter_command TO {reader};
GRANT SELECT ON {database}.find_run TO {reader};
GRANT SELECT ON {database}.measure TO {reader};
GRANT SELECT ON {database}.sketch TO {reader};
GRANT SELECT ON {database}.pieces TO {reader};
GRANT SELECT ON {database}.damage TO {reader};

-- This user runs SQL queries and sees only the views.
GRANT SELECT ON {database}.file_text TO {sql};
GRANT SELECT ON {database}.similar_pair TO {sql};
GRANT SELECT ON {database}.similar_file TO {sql};
GRANT SELECT ON {database}.duplicate TO {sql};
GRANT SELECT ON {database}.key_space TO {sql};
GRANT SELECT ON {database}.extension_statistics TO {sql};
GRANT SELECT ON {database}.sketched_file TO {sql};
GRANT SELECT ON {database}.run_text TO {sql};
GRANT SELECT ON {database}.similar_group TO {sql};
GRANT SELECT ON {database}.grouped_file TO {sql};
GRANT SELECT ON {database}.ungrouped_file TO {sql};
GRANT SELECT ON {database}.found_pair TO {sql};
GRANT SELECT ON {database}.part_of TO {sql};
GRANT SELECT ON {database}.file_copies TO {sql};
GRANT SELECT ON {database}.damaged_file TO {sql};
GRANT SELECT ON {database}.find_run_text TO {sql};

-- Version 12: how many transactions wrote files, so that several connections can tell that they see
-- the same. Each connection that writes counts in one of 64 rows, or writers would wait for one.
CREATE TABLE IF NOT EXISTS commit_count (
	writer  BIGINT NOT NULL PRIMARY KEY,
	commits BIGINT NOT NULL
);

-- Version 12: the number of transactions that wrote files. By this number several connections determine that
-- they see the same state. Each writer counts in one of 64 rows, so that writers do not wait for each other.
CREATE TABLE IF NOT EXISTS commit_count (
	writer  BIGINT NOT NULL PRIMARY KEY,
	commits BIGINT NOT NULL
);

-- Version 12: the number of transactions that wrote files. Several connections compare this number to determine that
-- they see the same state. There are 64 rows, and each writer uses one of them, so that writers do not wait for each
-- other.
CREATE TABLE IF NOT EXISTS commit_count (
	writer  BIGINT NOT NULL PRIMARY KEY,
	commits BIGINT NOT NULL
);

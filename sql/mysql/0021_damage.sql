-- Version 21: the status time of files, the time of their last verification, and files that were damaged.
-- Each statement can be run again.

-- When simhash --scrub last read the right content; 0: never, so scanned_at_ns counts.
ALTER TABLE file ADD COLUMN verified_at_ns BIGINT NOT NULL DEFAULT 0;

-- The status time (ctime) of the file when it was read or verified, in nanoseconds since 1970; 0: unknown.
ALTER TABLE file ADD COLUMN ctime_ns BIGINT NOT NULL DEFAULT 0;

-- Files whose content is not the content of their row, although their modification time says so. A row counts only as
-- long as content_hash is the hash in `file` and the file was neither read for the index nor verified after found_at_ns.
-- found_hash is NULL if it is unknown. The last five columns are NULL as far as they are unknown.
CREATE TABLE IF NOT EXISTS damage (
	tag_set         BIGINT NOT NULL,
	host            BIGINT NOT NULL,
	path_hash       BINARY(16) NOT NULL,
	content_hash    BINARY(16) NOT NULL,
	found_hash      BINARY(16),
	found_size      BIGINT NOT NULL,
	found_at_ns     BIGINT NOT NULL,
	verified_at_ns  BIGINT NOT NULL,
	is_unreadable   BIGINT NOT NULL,
	status_moved    BIGINT NOT NULL,
	compared_bytes  BIGINT,
	different_bytes BIGINT,
	first_byte      BIGINT,
	last_byte       BIGINT,
	resemblance     DOUBLE,
	PRIMARY KEY (tag_set, host, path_hash)
);

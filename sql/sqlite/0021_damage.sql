-- Version 21: the status time of files, the time of their last verification, and files that were damaged.

-- When simhash --scrub last read the right content; 0: never, so scanned_at_ns counts.
ALTER TABLE file ADD COLUMN verified_at_ns INTEGER NOT NULL DEFAULT 0;

-- The status time (ctime) of the file when it was read or verified, in nanoseconds since 1970; 0: unknown.
ALTER TABLE file ADD COLUMN ctime_ns INTEGER NOT NULL DEFAULT 0;

-- Files whose content is not the content of their row, although their modification time says so. A row counts only as
-- long as content_hash is the hash in `file` and the file was neither read for the index nor verified after found_at_ns.
-- found_hash is NULL if it is unknown. The last five columns are NULL as far as they are unknown.
CREATE TABLE damage (
	tag_set         INTEGER NOT NULL,
	host            INTEGER NOT NULL,
	path_hash       BLOB    NOT NULL,
	content_hash    BLOB    NOT NULL,
	found_hash      BLOB,
	found_size      INTEGER NOT NULL,
	found_at_ns     INTEGER NOT NULL,
	verified_at_ns  INTEGER NOT NULL,
	is_unreadable   INTEGER NOT NULL,
	status_moved    INTEGER NOT NULL,
	compared_bytes  INTEGER,
	different_bytes INTEGER,
	first_byte      INTEGER,
	last_byte       INTEGER,
	resemblance     REAL,
	PRIMARY KEY (tag_set, host, path_hash)
) WITHOUT ROWID;

/*
 * Moves the rows of an archive's members along with the archive: rows of the directory of its old
 * path become rows of the directory of its new path. The old rows are removed like other vanished
 * rows.
 *
 *     moved_archives_note(&archives, &row, directory, name, error);      // for each moved archive
 *     moved_archives_feed(&archives, feed, store, &scope, &count, error);
 *     moved_archives_release(&archives);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_MOVED_MEMBERS_H
#define SIMHASH_INDEX_MOVED_MEMBERS_H

#include "index/compare/feed.h"

struct store;

struct moved_archive {
	uint8_t from[DIRECTORY_HASH_SIZE];
	struct directory *inside; /* a reference */
};

struct moved_archives {
	struct moved_archive *items;
	size_t count, capacity;
};

/*
 * Record that the file of a row is now `name` in `directory`. Does nothing for a file without
 * members.
 */
int moved_archives_note(struct moved_archives *archives, const struct file_row *row,
			const struct directory *directory, struct bytes name,
			struct simhash_error *error);

/* Feed the rows of all members. Adds their number to *count. */
int moved_archives_feed(const struct moved_archives *archives, struct feed *feed,
			struct store *store, const struct row_scope *scope, uint64_t *count,
			struct simhash_error *error);
void moved_archives_release(struct moved_archives *archives);

#endif

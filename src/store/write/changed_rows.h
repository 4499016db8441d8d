/*
 * Changes the rows of files that were removed, moved or made again, without reading the files.
 *
 *     const struct row_change change = {.from = "/a/x", .to = "/b/x", .leaves = true, ...};
 *     status = store_change_rows(store, host, &change, 1, &unknown, error);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_CHANGED_ROWS_H
#define SIMHASH_STORE_CHANGED_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

struct store;

/* The path `to` now has the content that `from` has or had. */
struct row_change {
	const char *from, *to; /* absolute paths; `to` is NULL if no path has the content now */
	bool leaves;	       /* `from` no longer exists */
	/* `from` was a directory, which is removed with all its rows; `leaves` must be set. */
	bool is_directory;
	/* The row of `from` is used only if it has these values. Inode 0 in a row is unknown. */
	int64_t size_bytes, mtime_ns;
	uint64_t inode;
	/* The file `to` now. */
	int64_t to_mtime_ns;
	uint64_t to_device, to_inode, to_links;
};

/*
 * Change the rows of one host, in all tag sets, in the order of the changes. The rows of archive
 * members and of inflated contents change with the rows of their files. *unknown is the number of
 * changes that found a row with other values, or no row for a path `to`. Errors: of the database;
 * some changes may be committed.
 */
int store_change_rows(struct store *store, int64_t host, const struct row_change *changes,
		      size_t count, uint64_t *unknown, struct simhash_error *error);

#endif

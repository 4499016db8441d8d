/*
 * Reads the rows of all files for comparing whole directories: each with its directory and its
 * content. A member of an archive is in a directory of the archive: the member w/x.xml of /a/b.zip
 * is in /a/b.zip//w. The inflated content of a gzip file is not a member, unless the file was
 * examined for members.
 *
 *     if (store_folder_rows(store, tag_set, 0, &cursor, error) != 0)
 *             return -1;
 *     while ((status = folder_rows_next(cursor, &row, error)) == 1)
 *             count_row(&row);
 *     folder_rows_end(cursor);
 *     return status;
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_FOLDER_ROWS_H
#define SIMHASH_STORE_FOLDER_ROWS_H

#include "store/row/file_row.h"

/* Options: also read rows of empty files, or sketches. */
enum { FOLDER_ROWS_EMPTY = 1, FOLDER_ROWS_SKETCHES = 2 };

struct folder_cursor;
struct store;

/* The bytes of a row live until the next row. */
struct folder_row {
	int64_t host, size_bytes;
	struct bytes directory; /* without a slash at its end; the root is empty */
	/* for a member: the length of "/a/b.zip/" at the start of the directory; otherwise 0 */
	size_t archive_size;
	int64_t archive_bytes; /* for a member: the size of the archive */
	struct bytes name;
	int64_t mtime_ns, device, inode, links; /* inode or links 0: unknown */
	uint8_t content_hash[CONTENT_HASH_SIZE];
	const struct simhash_resemblance_sketch *sketch; /* NULL: unknown, or not read */
};

/*
 * Read all files that are not empty, in any order. `with` is a sum of the options above. On a
 * server a stream occupies its connection until it ends.
 */
int store_folder_rows(struct store *store, int64_t tag_set, unsigned with,
		      struct folder_cursor **cursor, struct simhash_error *error);

/* Get the next row. Returns 1, 0 at the end, -1 for an error. */
int folder_rows_next(struct folder_cursor *cursor, struct folder_row *row,
		     struct simhash_error *error);

void folder_rows_end(struct folder_cursor *cursor); /* NULL is allowed */

#endif

/*
 * The rows of all files for comparing whole directories: each with its directory and its content. A
 * member of an archive is in a directory of the archive: the member w/x.xml of /a/b.zip is in
 * /a/b.zip//w. The inflated content of a gzip file that was not looked into is not a member.
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

/* What else is read: rows of empty files, and sketches. */
enum { FOLDER_ROWS_EMPTY = 1, FOLDER_ROWS_SKETCHES = 2 };

struct folder_cursor;
struct store;

/* Its bytes live until the next row. */
struct folder_row {
	int64_t host, size_bytes;
	struct bytes directory; /* without a slash at its end: that of the root is empty */
	size_t archive_size; /* of a member: the first bytes of the directory, "/a/b.zip/"; else 0 */
	int64_t archive_bytes; /* then how large that file is */
	struct bytes name;
	int64_t mtime_ns, device, inode, links; /* inode or links 0: not known */
	uint8_t content_hash[CONTENT_HASH_SIZE];
	const struct simhash_resemblance_sketch *sketch; /* NULL: it is not known, or not read */
};

/*
 * Files that are not empty, in no order, and what the sum `with` names. On a server a stream occupies
 * its connection until it ends.
 */
int store_folder_rows(struct store *store, int64_t tag_set, unsigned with,
		      struct folder_cursor **cursor, struct simhash_error *error);

/* The next row: 1, 0 at the end, -1 for an error. */
int folder_rows_next(struct folder_cursor *cursor, struct folder_row *row,
		     struct simhash_error *error);

void folder_rows_end(struct folder_cursor *cursor); /* NULL is fine */

#endif

/*
 * Reads the files of the index that may be near to requested files.
 *
 *     queried_rows_begin(&rows, finder, store, keys, count);
 *     while ((status = queried_rows_next(&rows, &file, &near, &near_count, &error)) == 1)
 *             ; // `file` may be near the reaches of `near`; both are valid until the next call
 *     queried_rows_end(&rows);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_QUERIED_ROWS_H
#define SIMHASH_FIND_QUERIED_ROWS_H

#include "find/query/queried_keys.h"

struct queried_rows {
	const struct finder *finder;
	struct store *store;
	struct row_cursor cursor;
	const struct queried_key *present, *next,
		*end; /* the keys of the cursor's rows, and the end of all keys */
	/* The cursor uses these hashes, so they must stay valid. */
	uint8_t looked_for[ROWS_WITH_MAX][PATH_HASH_SIZE];
	struct arena arena; /* memory for the current file */
	/* The number of rows that were read, also those that the request leaves out, and the last. */
	int64_t read;
	uint8_t last[PATH_HASH_SIZE];
};

/* Read the rows of some sorted keys, which must include all keys of each row. */
void queried_rows_begin(struct queried_rows *rows, const struct finder *finder, struct store *store,
			const struct queried_key *keys, size_t count);

/* Read the rows of a reach that has too many cells. They come without keys. */
int queried_rows_begin_range(struct queried_rows *rows, const struct finder *finder,
			     const struct queried_reach *reach, struct simhash_error *error);

/*
 * Read at most `most` rows of this host after a path hash (NULL: from the first), in the order of
 * these hashes. They come without keys.
 */
int queried_rows_begin_after(struct queried_rows *rows, const struct finder *finder,
			     const uint8_t *after, int64_t most, struct simhash_error *error);

/* The next file. Returns 1, 0 after the last one, or -1 for an error. */
int queried_rows_next(struct queried_rows *rows, struct find_file *file,
		      const struct queried_key **near, size_t *near_count,
		      struct simhash_error *error);

void queried_rows_end(struct queried_rows *rows);

#endif

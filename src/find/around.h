/*
 * The files of the index that may be within a distance of a file asked for, its own row left out.
 *
 *     around_begin(&around, finder, asked, distance, &error);
 *     while ((status = around_next(&around, &file, &error)) == 1)
 *             ; // `file` may be near asked->file; it is valid until the next call
 *     around_end(&around);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_AROUND_H
#define SIMHASH_FIND_AROUND_H

#include "find/asked.h"
#include "store/row_stream.h"

struct around {
	const struct finder *finder;
	const struct asked_file *asked;
	struct row_cursor *cursor;
	struct row_keys keys;	   /* of the rows to read, unless the cursor has them all */
	size_t key;		   /* the next of them */
	struct arena arena;	   /* of the present file */
	uint64_t rows, unsketched; /* read so far */
};

int around_begin(struct around *around, const struct finder *finder, const struct asked_file *asked,
		 int64_t distance, struct simhash_error *error);
/* The same of those that the rule may allow as pairs. */
int around_begin_rule(struct around *around, const struct finder *finder,
		      const struct asked_file *asked, struct simhash_error *error);
/* The same with all rows of the index. */
int around_begin_all(struct around *around, const struct finder *finder,
		     const struct asked_file *asked, struct simhash_error *error);

/* The next file: 1, 0 after the last, -1 for an error. */
int around_next(struct around *around, struct find_file *file, struct simhash_error *error);

void around_end(struct around *around);

#endif

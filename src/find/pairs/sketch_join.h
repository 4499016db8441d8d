/*
 * Finding by the sketches of another measure, instead of keys and sum tables.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_SKETCH_JOIN_H
#define SIMHASH_FIND_SKETCH_JOIN_H

#include "find/rule/queried_file.h"
#include "store/rows/row_reader.h"

/* All pairs; see finder_all. */
int sketch_join_all(struct finder *finder, struct simhash_error *error);

/*
 * Files asked for, compared with all sketches of the index, many in one pass over it.
 *
 *     sketch_pass_init(&pass, finder, &error);
 *     sketch_pass_add(&pass, &asked, &error);       // until it is full
 *     sketch_pass_begin(&pass, &error);
 *     while ((status = sketch_pass_next(&pass, &pair, &error)) == 1)
 *             ; // pair.a was asked for; pair.b is valid until the next call
 *     sketch_pass_end(&pass);                       // with it go the files asked for
 *     sketch_pass_release(&pass);
 */
struct sketch_pass {
	const struct finder *finder;
	int64_t measure; /* its id */
	size_t sketch_size;
	struct queried_file *queried;
	size_t count, capacity;
	struct row_cursor cursor;
	struct file_row row;
	struct row_sketch sketch; /* of the present row */
	size_t next;		  /* file asked for that it is to be compared with */
	bool has_file;
	struct find_file file; /* the row as a file, once it is similar to any */
	struct arena arena;    /* of that one */
	uint64_t rows;	       /* read so far */
};

/* Error: the index has no sketches by the measure. Counts the files without one. */
int sketch_pass_init(struct sketch_pass *pass, struct finder *finder, struct simhash_error *error);
void sketch_pass_release(struct sketch_pass *pass);

/* Takes over the file; what has no features is similar to nothing, and left out. */
int sketch_pass_add(struct sketch_pass *pass, struct queried_file *queried,
		    struct simhash_error *error);
bool sketch_pass_is_full(const struct sketch_pass *pass);

int sketch_pass_begin(struct sketch_pass *pass, struct simhash_error *error);

/* The next pair: 1, 0 after the last, -1 for an error. */
int sketch_pass_next(struct sketch_pass *pass, struct file_pair *pair, struct simhash_error *error);
void sketch_pass_end(struct sketch_pass *pass);

#endif

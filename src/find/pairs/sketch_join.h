/*
 * Finds files by the sketches of another measure, instead of keys and sum tables.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_SKETCH_JOIN_H
#define SIMHASH_FIND_SKETCH_JOIN_H

#include "find/rule/queried_file.h"
#include "store/rows/row_reader.h"

/* Find all pairs; see finder_all. */
int sketch_join_all(struct finder *finder, struct simhash_error *error);

/*
 * Compares many requested files with all sketches of the index in one pass.
 *
 *     sketch_pass_init(&pass, finder, &error);
 *     sketch_pass_add(&pass, &asked, &error);       // until it is full
 *     sketch_pass_begin(&pass, &error);
 *     while ((status = sketch_pass_next(&pass, &pair, &error)) == 1)
 *             ; // pair.a is a requested file; pair.b is valid until the next call
 *     sketch_pass_end(&pass);                       // this also releases the requested files
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
	struct row_sketch sketch; /* the sketch of the current row */
	size_t next;		  /* the next requested file to compare it with */
	bool has_file;
	struct find_file file; /* the row as a file, set if it is similar to a requested file */
	struct arena arena;    /* memory for that file */
	uint64_t rows;	       /* the number of rows read */
};

/* Error: the index has no sketches of the measure. Counts the files without a sketch. */
int sketch_pass_init(struct sketch_pass *pass, struct finder *finder, struct simhash_error *error);
void sketch_pass_release(struct sketch_pass *pass);

/* Takes over the file. A file without features is similar to no file, and is left out. */
int sketch_pass_add(struct sketch_pass *pass, struct queried_file *queried,
		    struct simhash_error *error);
bool sketch_pass_is_full(const struct sketch_pass *pass);

int sketch_pass_begin(struct sketch_pass *pass, struct simhash_error *error);

/* The next pair. Returns 1, 0 after the last one, or -1 for an error. */
int sketch_pass_next(struct sketch_pass *pass, struct file_pair *pair, struct simhash_error *error);
void sketch_pass_end(struct sketch_pass *pass);

#endif

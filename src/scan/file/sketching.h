/*
 * Makes the sketches of a file by several measures at once, and its additional hashes. Each
 * scanning thread has its own state.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_SKETCHING_H
#define SIMHASH_SCAN_SKETCHING_H

#include <stdbool.h>

#include "scan/file/hashing.h"
#include "simhash_measures.h"
#include "store/row/file_row.h"

struct content_pieces;

struct sketching {
	unsigned count; /* the number of measures */
	struct simhash_measure *const *measures;
	struct simhash_sketcher *sketchers[MEASURES_MAX];
	struct hashing *hashing; /* NULL: no hash is requested */
	unsigned hashes;	 /* a bit for each hash */
	size_t size;		 /* the size of all sketches and hashes of a file */
	bool is_dirty;
};

/* The measures, at most MEASURES_MAX, are borrowed. `hashes` has a bit for each enum file_hash. */
int sketching_init(struct sketching *sketching, struct simhash_measure *const *measures,
		   unsigned count, unsigned hashes, struct simhash_error *error);
void sketching_release(struct sketching *sketching);

/* Begin a file, and discard an unfinished one. */
void sketching_begin(struct sketching *sketching);
void sketching_add(struct sketching *sketching, const void *bytes, size_t size);

/*
 * Make the sketches, and store the pieces with them unless `pieces` is NULL. *sketches is NULL if
 * there is nothing to store. -1 with errno ENOMEM.
 */
int sketching_end(struct sketching *sketching, const struct content_pieces *pieces,
		  struct row_sketches **sketches);

#endif

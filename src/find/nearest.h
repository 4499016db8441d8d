/*
 * The files of the index that are nearest to a file asked for.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_NEAREST_H
#define SIMHASH_FIND_NEAREST_H

#include "find/asked.h"

struct neighbour {
	struct find_file file; /* its display is owned */
	uint64_t distance;
};

struct nearest {
	struct neighbour *items; /* nearest first */
	size_t count, wanted;
};

int nearest_init(struct nearest *nearest, size_t wanted, struct simhash_error *error);
void nearest_release(struct nearest *nearest);

/*
 * Find the `wanted` nearest, whatever their distance; sizes and extensions are those that the
 * rule allows. *rows is increased by the rows read.
 */
int nearest_find(struct nearest *nearest, const struct finder *finder,
		 const struct asked_file *asked, uint64_t *rows, struct simhash_error *error);

#endif

/*
 * Finds the files of the index that are nearest to a requested file.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_NEAREST_H
#define SIMHASH_FIND_NEAREST_H

#include "find/rule/queried_file.h"

struct neighbour {
	struct find_file file; /* it owns its displayed name */
	uint64_t distance;
};

struct nearest {
	struct neighbour *items; /* nearest first */
	size_t count, wanted;
	/* The distance to read within next, and the largest possible distance. */
	int64_t distance, last;
	bool is_found; /* all nearest files are found */
};

/*
 * Find the `wanted` nearest files at any distance, with sizes and extensions that the rule allows:
 *
 *     nearest_begin(&nearest, wanted, finder, asked, &error);
 *     for (; !nearest.is_found; nearest_end_round(&nearest)) {
 *             nearest_begin_round(&nearest);
 *             ... nearest_take(&nearest, rule, &asked->file, &file, &error) for each file
 *             ... within nearest.distance
 *     }
 *     nearest_release(&nearest);
 */
int nearest_begin(struct nearest *nearest, size_t wanted, const struct finder *finder,
		  const struct queried_file *queried, struct simhash_error *error);
void nearest_release(struct nearest *nearest);

void nearest_begin_round(struct nearest *nearest);
int nearest_take(struct nearest *nearest, const struct find_rule *rule,
		 const struct find_file *queried, const struct find_file *file,
		 struct simhash_error *error);
/* Ends the search if the nearest files are found, and otherwise increases the distance. */
void nearest_end_round(struct nearest *nearest);

#endif

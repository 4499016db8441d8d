/*
 * Computes the cell of a file in a grid, so that a search for similar files need not read other
 * cells. A cell combines a class of sizes with the places of two sums of the counts, in which some
 * counts are subtracted. Such sums of two files differ by at most the distance of the files. The
 * table size_class and the views near_pair and near_file have the same grid, see sql/.
 *
 *     for (class = size_class_of(smallest); class <= size_class_of(largest); class++) {
 *             struct cell_range range = cells_within(class, &table, distance);
 *             ... rows whose cells are cell_at(&range, i, j), for i from range.first[0] to
 *             ... range.last[0] and j of [1] likewise, and whose outlines are near:
 *             counts = outline_unpack(outline);
 *             if (outline_is_near(&range.near, &counts))
 *     }
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_CELLS_H
#define SIMHASH_STORE_CELLS_H

#include "store/row/file_row.h"

#define SIGNED_SUMS 2
#define OUTLINES 2 /* the number of outlines, each with the counts of eight tags */

/* The values of a file in the index of cells. */
struct file_cell {
	int64_t cell, signed_sum[SIGNED_SUMS], outline[OUTLINES];
};

struct file_cell cell_of(const struct file_row *row);

/* A class contains sizes from one size to 1.5 times that size. */
int64_t size_class_of(int64_t size_bytes);
int64_t size_class_largest(int64_t class);

/* The counts of an outline, scaled so that they wrap around at 2^16. */
struct outline_counts {
	uint16_t count[SIMHASH_TAGS];
};

/* The counts of a sum table, and the maximum distance of the counts of an outline. */
struct outline_range {
	struct outline_counts counts;
	uint32_t limit;
};

/*
 * The cells of a class that are within a distance from a sum table. `first` and `last` are
 * included.
 */
struct cell_range {
	int64_t class, first[SIGNED_SUMS], last[SIGNED_SUMS];
	int64_t low[SIGNED_SUMS], high[SIGNED_SUMS]; /* limits of the sums */
	struct outline_range near;
};

struct cell_range cells_within(int64_t class, const struct simhash_sum_table *table,
			       int64_t distance);
int64_t cell_at(const struct cell_range *range, int64_t first, int64_t second);

int64_t cell_class(int64_t cell);
int64_t cell_lowest(int64_t class); /* the lowest cell of a class */

int64_t cells_in(const struct cell_range *range); /* the number of cells */

struct outline_counts outline_unpack(const int64_t outline[OUTLINES]);

/* Returns false only for rows that are further away than the distance. */
bool outline_is_near(const struct outline_range *near, const struct outline_counts *row);

#endif

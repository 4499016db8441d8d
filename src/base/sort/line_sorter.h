/*
 * Sorts any number of lines: lines that do not fit into memory wait in a temporary file. Several
 * threads may add lines at once.
 *
 *     line_sorter_new(64 << 20, &sorter, &error);
 *     line_sorter_add(sorter, 0.25, "a line", 6, &error);
 *     line_sorter_write(sorter, each, context, &error);
 *     line_sorter_free(sorter);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_LINE_SORTER_H
#define SIMHASH_BASE_LINE_SORTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

struct line_sorter;

/* Takes at most `memory_bytes`, or the memory for its largest line. */
int line_sorter_new(size_t memory_bytes, struct line_sorter **sorter, struct simhash_error *error);
void line_sorter_free(struct line_sorter *sorter); /* NULL is allowed */

/*
 * Reverse the order, and keep only the first `limit` lines (0: all). Call it before lines are
 * added.
 */
void line_sorter_restrict(struct line_sorter *sorter, bool reverse, uint64_t limit);

int line_sorter_add(struct line_sorter *sorter, double key, const char *line, size_t size,
		    struct simhash_error *error);

/*
 * Add several lines, which are contiguous in memory. Each line may begin with a text that is used
 * only for sorting, after the key; it is not passed on. No such text may be a prefix of another.
 */
struct line_key {
	double key, then;  /* `then` sorts after the text */
	size_t text, size; /* `size` includes the text */
};
int line_sorter_add_all(struct line_sorter *sorter, const char *bytes, const struct line_key *lines,
			size_t count, struct simhash_error *error);

/* The number of added lines. */
uint64_t line_sorter_added(const struct line_sorter *sorter);

/* Pass the lines on, sorted by key and then by their bytes. One thread may call this once. */
typedef int line_fn(void *context, const char *line, size_t size, struct simhash_error *error);
int line_sorter_write(struct line_sorter *sorter, line_fn *each, void *context,
		      struct simhash_error *error);

#endif

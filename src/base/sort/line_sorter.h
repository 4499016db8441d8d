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

/* Takes `memory_bytes` at most, or what its largest line needs. */
int line_sorter_new(size_t memory_bytes, struct line_sorter **sorter, struct simhash_error *error);
void line_sorter_free(struct line_sorter *sorter); /* NULL is fine */

/* Before lines are added: put them in the opposite order, and keep the first `limit`; 0: all. */
void line_sorter_restrict(struct line_sorter *sorter, bool reverse, uint64_t limit);

int line_sorter_add(struct line_sorter *sorter, double key, const char *line, size_t size,
		    struct simhash_error *error);

/*
 * The same for several lines, which stand one after another. Before a line may stand a text that
 * it is sorted by after its key, and that is not handed on. No such text goes on from another one.
 */
struct line_key {
	double key, then;  /* `then` comes after the text */
	size_t text, size; /* `size` has both */
};
int line_sorter_add_all(struct line_sorter *sorter, const char *bytes, const struct line_key *lines,
			size_t count, struct simhash_error *error);

/* How many lines were added. */
uint64_t line_sorter_added(const struct line_sorter *sorter);

/* Hand lines on by key, then by their bytes. May be called once, by one thread. */
typedef int line_fn(void *context, const char *line, size_t size, struct simhash_error *error);
int line_sorter_write(struct line_sorter *sorter, line_fn *each, void *context,
		      struct simhash_error *error);

#endif

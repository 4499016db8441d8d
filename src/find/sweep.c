/*
 * All pairs: one stream of rows in key order and a window that slides over it
 * (paper, 4.2). Each row is compared with the rows before it whose keys may be
 * within reach, so each pair comes once. The index is never in memory, only
 * the window: a row stays in it until the key has moved on by more than the
 * reach of its largest partner in size.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "core/error.h"
#include "find/find.h"

struct slot {
	int64_t last_key; /* the largest key that this row can be a hit with */
	struct candidate *row;
};

struct window {
	struct finder *finder;
	struct slot *slots;
	size_t count, capacity;
};

static int window_add(struct window *window, struct candidate *row, struct simhash_error *error)
{
	const struct simhash_tolerance *tolerance = &window->finder->options->tolerance;
	int64_t reach =
		simhash_key_reach(tolerance, simhash_largest_partner(tolerance, row->size_bytes));

	if (window->count == window->capacity) {
		size_t capacity = window->capacity == 0 ? 1024 : window->capacity * 2;
		struct slot *grown = realloc(window->slots, capacity * sizeof *grown);
		if (grown == NULL)
			return error_set_memory(error);
		window->slots = grown;
		window->capacity = capacity;
	}
	window->slots[window->count++] =
		(struct slot){row->key > INT64_MAX - reach ? INT64_MAX : row->key + reach, row};
	return 0;
}

/* Compare a row with the window, and drop from it what has fallen out of reach. */
static int window_pass(struct window *window, struct candidate *row, struct simhash_error *error)
{
	struct finder *finder = window->finder;
	size_t kept = 0, i = 0;
	int status = 0;

	for (; i < window->count && status == 0; i++) {
		struct slot slot = window->slots[i];
		uint64_t distance;
		if (slot.last_key < row->key) {
			free(slot.row);
			continue;
		}
		window->slots[kept++] = slot;
		if (candidates_match(finder, row, slot.row, &distance))
			status = finder_report(finder, row, slot.row, distance, error);
	}
	while (i < window->count) /* after an error: keep all, to be freed */
		window->slots[kept++] = window->slots[i++];
	window->count = kept;
	return status;
}

static int sweep_row(void *context, const struct file_row *file, struct simhash_error *error)
{
	struct window *window = context;
	struct candidate *row = candidate_new(window->finder, file);

	if (row == NULL)
		return error_set_memory(error);
	window->finder->counts.rows++;
	confirm_begin(window->finder, row);
	if (window_pass(window, row, error) != 0 || window_add(window, row, error) != 0) {
		free(row);
		return -1;
	}
	return 0;
}

int finder_all(struct finder *finder, struct simhash_error *error)
{
	struct window window = {.finder = finder};
	struct key_range range = {.tag_set = finder->tag_set,
				  .key = finder->options->key,
				  .low = INT64_MIN,
				  .high = INT64_MAX,
				  .with_empty = finder->options->with_empty};
	int status = finder->tag_set == 0
			     ? 0
			     : store_read_keys(finder->store, &range, sweep_row, &window, error);

	while (window.count > 0)
		free(window.slots[--window.count].row);
	free(window.slots);
	return status;
}

/*
 * Finds the rows of the index that may be near to requested files. One pass through the index of
 * cells serves many files, so a part that several files need is read only once.
 *
 *     struct queried_reach reach = {.asked = asked, .distance = distance};
 *
 *     status = queried_keys_gather(&reach, 1, finder, &stores, max, &keys, &error);
 *     ... queried_rows_begin(&rows, finder, store, keys.keys, keys.count), see queried_rows.h
 *     queried_keys_release(&keys);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_QUERIED_KEYS_H
#define SIMHASH_FIND_QUERIED_KEYS_H

#include "find/rule/queried_file.h"
#include "store/rows/near_keys.h"
#include "store/rows/row_reader.h"

struct queried_reach {
	const struct queried_file *queried;
	int64_t distance;
	bool by_rule; /* only find rows that the rule may accept as a pair */
};

/* A row may be near to the file of a reach, or is read for another reason. */
#define NO_REACH UINT32_MAX
struct queried_key {
	struct row_key row;
	uint32_t reach;
};

struct queried_keys {
	struct queried_key *keys; /* sorted like the rows, then by reach */
	size_t count, capacity;
};

/* Connections to one index, one for each thread. The first one belongs to the finder. */
struct find_stores {
	struct store **stores;
	unsigned count;
};

/*
 * Collect the keys of the rows that may be near. Returns 0 if several files have more than `max`
 * keys, or if a file has too many cells; otherwise 1. After 0, the caller searches for fewer files
 * or, for a single file, by its range.
 */
int queried_keys_gather(const struct queried_reach *reaches, size_t count,
			const struct finder *finder, const struct find_stores *stores, size_t max,
			struct queried_keys *keys, struct simhash_error *error);

int queried_keys_add(struct queried_keys *keys, const struct queried_key *key,
		     struct simhash_error *error);
int queried_keys_join(struct queried_keys *keys, const struct queried_keys *others,
		      struct simhash_error *error);
void queried_keys_sort(struct queried_keys *keys);
void queried_keys_release(struct queried_keys *keys);

/* The bounds of all rows within a reach. */
void queried_reach_bounds(const struct queried_reach *reach, const struct finder *finder,
			  int64_t uniform[2], int64_t sizes[2]);

#endif

/*
 * Which rows of the index may be near to files asked for: of many files by one passage through the
 * index of cells, so that a part of it that several files need is read once.
 *
 *     struct vicinity vicinity = {.asked = asked, .distance = distance};
 *
 *     status = vicinities_gather(&vicinity, 1, finder, &stores, max, &keys, &error);
 *     ... around_begin(&around, finder, store, keys.keys, keys.count), see around.h
 *     near_keys_release(&keys);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_VICINITY_H
#define SIMHASH_FIND_VICINITY_H

#include "find/asked.h"
#include "store/near_keys.h"
#include "store/row_stream.h"

struct vicinity {
	const struct asked_file *asked;
	int64_t distance;
	bool by_rule; /* only what the rule may allow as a pair */
};

/* A row may be near to the file of a vicinity. */
struct near_key {
	struct row_key row;
	uint32_t vicinity;
};

struct near_keys {
	struct near_key *keys; /* as rows lie, then by vicinity */
	size_t count, capacity;
};

/* Connections to one index, one for each thread that is used; the first one is the finder's. */
struct find_stores {
	struct store **stores;
	unsigned count;
};

/*
 * The keys of the rows that may be near: 1; or 0 where those of several files are more than `max`, or a
 * file has too many cells. Then search for a part of the files; and for one file by its range.
 */
int vicinities_gather(const struct vicinity *vicinities, size_t count, const struct finder *finder,
		      const struct find_stores *stores, size_t max, struct near_keys *keys,
		      struct simhash_error *error);

void near_keys_release(struct near_keys *keys);

/* The bounds of all rows of a vicinity. */
struct near_range vicinity_range(const struct vicinity *vicinity, const struct finder *finder);

#endif

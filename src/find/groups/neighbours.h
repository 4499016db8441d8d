/*
 * Finds the files that a file can be similar to. It is the search of join.c for files that come one
 * after another in the order of the key uniform, when only some of them are kept.
 *
 *     neighbours_init(&kept, rule);
 *     neighbours_locate(rule, all_sketched, file, &error); // before all that follows
 *     neighbours_each(&kept, file, take_candidate, context);
 *     if (neighbours_add(&kept, file, NEIGHBOUR_ALL, &error) != 0) ...
 *     if (neighbours_forget(&kept, key, since, &error) != 0) ...
 *     neighbours_release(&kept);
 *
 * Files are added and searched in the order of the key uniform. As in a join, signed sums of the
 * counts are lower bounds of the distance, and sixteen files are compared at once. Pairs that are
 * further apart than SWEPT_PERCENT are found by the keys of their sketches.
 *
 * Any number of threads may search for candidates while no thread adds or forgets.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_NEIGHBOURS_H
#define SIMHASH_FIND_NEIGHBOURS_H

#include "base/data/slots.h"
#include "find/groups/contents.h"
#include "find/rule/near.h"
#include "find/rule/rule.h"
#include "find/rule/sketch_keys.h"

struct neighbour_cell;

/* The files of a reach below 2^power. None: the minimum above the maximum. */
struct neighbour_power {
	int64_t min_size, max_size;
};

/* A file by one of its keys. */
struct key_link {
	struct content_file *file;
	uint32_t next; /* of the same key; from 1 */
	uint32_t skip; /* those before this one are in one component; see neighbours_connect */
};

struct neighbours {
	const struct find_rule *rule;
	near_fn *near;
	struct neighbour_power powers[POWERS];
	struct slots cell_slots;
	struct neighbour_cell *cells;
	size_t cell_count, cell_capacity;
	struct slots key_slots; /* the number of the first link of each key */
	struct key_link *links;
	size_t link_count, link_capacity;
	size_t count; /* files */
	uint64_t seed;
};

void neighbours_init(struct neighbours *neighbours, const struct find_rule *rule);
void neighbours_release(struct neighbours *neighbours);

/*
 * Find out where a file belongs, in this and any other neighbours by the same rule. Where all files
 * have sketches, small ones are found by their keys alone.
 */
int neighbours_locate(const struct find_rule *rule, bool all_sketched, struct content_file *file,
		      struct simhash_error *error);

/*
 * By what a file is found. Its counts and its keys may be added by two threads at once, each all
 * that is to be added of its part.
 */
enum neighbour_part { NEIGHBOUR_COUNTS = 1, NEIGHBOUR_KEYS = 2, NEIGHBOUR_ALL = 3 };

/* Keep a file, which is borrowed. */
int neighbours_add(struct neighbours *neighbours, struct content_file *file,
		   enum neighbour_part parts, struct simhash_error *error);

/* Forget all files, and keep the memory. */
void neighbours_clear(struct neighbours *neighbours);

/*
 * Every file kept that can be similar to this one by the rule, and others; some several times. Ends
 * when `each` returns false, which says that enough were seen.
 */
typedef bool neighbour_fn(void *context, struct content_file *other);
void neighbours_each(const struct neighbours *neighbours, const struct content_file *file,
		     neighbour_fn *each, void *context);

/*
 * The same for finding connected components: files of which `is_connected` holds are left out, most
 * of them without being looked at. What it holds of is connected for ever. By one thread alone.
 */
void neighbours_connect(struct neighbours *neighbours, const struct content_file *file,
			neighbour_fn *is_connected, neighbour_fn *each, void *context);

/*
 * Forget the files that reach no file whose key uniform is at least `key`, but keep those whose own
 * is at least `since`.
 */
int neighbours_forget(struct neighbours *neighbours, int64_t key, int64_t since,
		      struct simhash_error *error);

/* The largest key uniform that a file similar to this one can have. */
int64_t end_of_reach(const struct find_file *file);

#endif

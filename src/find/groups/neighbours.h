/*
 * Finds the files that a file can be similar to. It searches like join.c, but files are added one
 * by one in the order of the key uniform, and only some of them stay in memory.
 *
 *     neighbours_init(&kept, rule);
 *     neighbours_locate(rule, all_sketched, file, &error); // always first
 *     neighbours_each(&kept, file, take_candidate, context);
 *     if (neighbours_add(&kept, file, NEIGHBOUR_ALL, &error) != 0) ...
 *     if (neighbours_forget(&kept, key, since, &error) != 0) ...
 *     neighbours_release(&kept);
 *
 * Files are added and searched in the order of the key uniform. As in a join, signed sums of the
 * counts are lower bounds of the distance, and sixteen files are compared at once. Pairs that are
 * further apart than SWEPT_PERCENT are found by the keys of their sketches.
 *
 * Any number of threads may search for candidates while no thread adds or removes files.
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

/* The files with a reach below 2^power. If there are none, the minimum is above the maximum. */
struct neighbour_power {
	int64_t min_size, max_size;
};

/* One key of a file. */
struct key_link {
	struct content_file *file;
	uint32_t next; /* the next link of the same key; from 1 */
	uint32_t skip; /* the links before this one are in one component; see neighbours_connect */
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
	size_t count; /* the number of files */
	uint64_t seed;
};

void neighbours_init(struct neighbours *neighbours, const struct find_rule *rule);
void neighbours_release(struct neighbours *neighbours);

/*
 * Compute the place of a file, which is valid for all neighbours with the same rule. If all files
 * have sketches, small files are found only by their keys.
 */
int neighbours_locate(const struct find_rule *rule, bool all_sketched, struct content_file *file,
		      struct simhash_error *error);

/*
 * The parts of the index that find a file. Two threads may add at once if each of them adds all
 * files for one part.
 */
enum neighbour_part { NEIGHBOUR_COUNTS = 1, NEIGHBOUR_KEYS = 2, NEIGHBOUR_ALL = 3 };

/* Add a file, which must stay valid. */
int neighbours_add(struct neighbours *neighbours, struct content_file *file,
		   enum neighbour_part parts, struct simhash_error *error);

/* Remove all files, but keep the memory. */
void neighbours_clear(struct neighbours *neighbours);

/*
 * Report every stored file that can be similar to this one by the rule, and also other files; some
 * of them several times. The search stops when `each` returns false.
 */
typedef bool neighbour_fn(void *context, struct content_file *other);
void neighbours_each(const struct neighbours *neighbours, const struct content_file *file,
		     neighbour_fn *each, void *context);

/*
 * The same for connected components: skip files for which `is_connected` is true, most of them
 * without looking at them. A file must stay connected once it is. Only one thread may call it.
 */
void neighbours_connect(struct neighbours *neighbours, const struct content_file *file,
			neighbour_fn *is_connected, neighbour_fn *each, void *context);

/*
 * Remove the files that reach no file whose key uniform is at least `key`, except for files whose
 * key uniform is at least `since`.
 */
int neighbours_forget(struct neighbours *neighbours, int64_t key, int64_t since,
		      struct simhash_error *error);

/* The largest key uniform of any file similar to this one. */
int64_t end_of_reach(const struct find_file *file);

#endif

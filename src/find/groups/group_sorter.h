/*
 * Sorts any number of groups for output. Groups that do not fit into memory are in a temporary
 * file. They can be read several times, and only one group at a time is in memory.
 *
 *     group_sorter_init(&sorter, 64 << 20, &order);
 *     group_sorter_add(&sorter, &groups, &error);     // for each list of groups
 *     group_sorter_end(&sorter, &error);
 *     group_cursor_begin(&cursor, &sorter, &error);
 *     while ((status = group_cursor_next(&cursor, &error)) == 1)
 *             ... cursor.group, cursor.members ...
 *     group_cursor_release(&cursor);
 *     group_sorter_release(&sorter);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_GROUP_SORTER_H
#define SIMHASH_FIND_GROUP_SORTER_H

#include "base/sort/runs.h"
#include "find/groups/groups.h"

/* The key of a group; smaller keys come first. */
typedef double group_key_fn(const struct group *group, const struct group_member *members);

/*
 * By a key, then by the size of all files in descending order, then by the path of the
 * representative.
 */
struct group_order {
	group_key_fn *key; /* NULL: by the size of the copies, the largest first */
	bool by_path;	   /* sort by path alone */
	bool reverse;
};

struct group_totals {
	uint64_t groups, files;
	uint64_t copies, similar; /* numbers of files; all other files are representatives */
	uint64_t inside;	  /* copies in archives, which cannot be removed */
	uint64_t shared;	  /* copies that already share their blocks */
	int64_t copied_bytes;
};

struct group_sorter {
	struct group_order order;
	/* Keep the sketches of files; set it before the first group is added. */
	bool keeps_sketches;
	/* Finds copies that share blocks; set it before the first group is added; NULL: none. */
	struct shared_copies *shared;
	const struct archives *archives; /* groups of their members are left out; or NULL */
	uint64_t folded;		 /* the number of these groups */
	struct group_totals totals;
	struct runs runs; /* the sorted records */
};

/* Groups use about this much memory. Opens no file. The struct must not move until its release. */
void group_sorter_init(struct group_sorter *sorter, size_t memory_bytes,
		       const struct group_order *order);
void group_sorter_release(struct group_sorter *sorter);

/*
 * Add copies of the groups in a list. With `shared`, this sets `is_shared` of members, and counts
 * in the `copied_bytes` of groups each block once.
 */
int group_sorter_add(struct group_sorter *sorter, struct group_list *groups,
		     struct simhash_error *error);

/* Call it after the last group. */
int group_sorter_end(struct group_sorter *sorter, struct simhash_error *error);

struct group_cursor {
	/* The current group with its number; valid until the next call. */
	struct group group;
	const struct group_member *members;
	size_t number; /* how many groups were returned */
	struct group_member *room;
	struct find_file *files;
	size_t room_capacity, file_capacity;
	const struct group_order *order;
	struct run_cursor merge;
};

/* Always release the cursor, also after an error. */
int group_cursor_begin(struct group_cursor *cursor, const struct group_sorter *sorter,
		       struct simhash_error *error);

/* Read the next group. Returns 1, 0 after the last one, or -1. */
int group_cursor_next(struct group_cursor *cursor, struct simhash_error *error);

void group_cursor_release(struct group_cursor *cursor);

#endif

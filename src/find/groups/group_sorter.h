/*
 * Sorts any number of groups into the order of their listing: groups that do not fit into memory
 * wait in a temporary file. The groups can be read several times, with one group at a time in
 * memory.
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

/* The smaller comes first. */
typedef double group_key_fn(const struct group *group, const struct group_member *members);

/* By a key, then by the bytes of all files, the most first, then by the path of the representative. */
struct group_order {
	group_key_fn *key; /* NULL: by the bytes of copies, the most first */
	bool by_path;	   /* by that alone */
	bool reverse;
};

struct group_totals {
	uint64_t groups, files;
	uint64_t copies, similar; /* files; the others are representatives */
	uint64_t inside;	  /* copies in archives, which nobody can give up */
	int64_t copied_bytes;
};

struct group_sorter {
	struct group_order order;
	bool keeps_sketches; /* of the files; may be set before groups are added */
	struct group_totals totals;
	struct runs runs; /* of records */
};

/* Groups take at most about so much memory. Opens nothing. Stays where it is until it is released. */
void group_sorter_init(struct group_sorter *sorter, size_t memory_bytes,
		       const struct group_order *order);
void group_sorter_release(struct group_sorter *sorter);

/* Add copies of the groups of a list. */
int group_sorter_add(struct group_sorter *sorter, const struct group_list *groups,
		     struct simhash_error *error);

/* No more groups are to come. */
int group_sorter_end(struct group_sorter *sorter, struct simhash_error *error);

struct group_cursor {
	/* The present one, until the next call, with its number. */
	struct group group;
	const struct group_member *members;
	size_t number; /* of those that were given */
	struct group_member *room;
	struct find_file *files;
	size_t room_capacity, file_capacity;
	const struct group_order *order;
	struct run_cursor merge;
};

/* To be released whatever this returns. */
int group_cursor_begin(struct group_cursor *cursor, const struct group_sorter *sorter,
		       struct simhash_error *error);

/* The next group: 1, 0 behind the last, -1. */
int group_cursor_next(struct group_cursor *cursor, struct simhash_error *error);

void group_cursor_release(struct group_cursor *cursor);

#endif

/*
 * Reads the files that simhash --scrub found damaged, and finds intact copies of them in the index
 * (simfind --damaged).
 *
 *     status = finder_damaged(&finder, tops, count, &found, &error);
 *     for (size_t i = 0; status == 0 && i < found.count; i++)
 *             show(&found.items[i]);
 *     damaged_list_release(&found);
 *
 * No file is read. Memory grows with the number of damaged files and with COPIES_NAMED paths for
 * each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_PRESENCE_DAMAGED_H
#define SIMHASH_PRESENCE_DAMAGED_H

#include "base/data/arena.h"
#include "find/rule/find.h"
#include "store/rows/damage_rows.h"

#define COPIES_NAMED 16

struct finder;

/* An intact copy on this host. */
struct damaged_source {
	const char *path;
	int64_t size_bytes, mtime_ns;
	int64_t archive_bytes; /* for a member, the size of its archive, whose time is mtime_ns; or 0 */
};

struct damaged_item {
	struct row_scope scope;
	const char *path;     /* on its host */
	bool is_local;	      /* it is on this host */
	uint64_t inode;	      /* in the index; 0: unknown */
	struct bytes display; /* "host:path", or the path on this host; with a terminating zero */
	int64_t size_bytes, mtime_ns;
	struct damage damage;
	/*
	 * Files and members of archives that have the right content and are not known to be damaged:
	 * first files of this host, then other files, then members. Only COPIES_NAMED are named.
	 */
	uint64_t copies;
	const char **names;
	size_t name_count;
	/* At most COPIES_NAMED files of this host, and then as many members. */
	struct damaged_source *sources;
	size_t source_count;
};

struct damaged_list {
	struct damaged_item *items; /* sorted by path */
	size_t count, capacity;
	struct arena arena; /* the texts of the items */
};

/* Files at or below these sides; none: all files. */
int finder_damaged(struct finder *finder, const struct find_side *tops, size_t top_count,
		   struct damaged_list *found, struct simhash_error *error);

void damaged_list_release(struct damaged_list *found);

#endif

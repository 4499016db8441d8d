/*
 * Hard links: of all the names of one inode the first is scanned, and the others take
 * its row. A name met while that scan is under way is parked with it, and finished by
 * whoever finishes the scan; nobody waits.
 *
 * Memory is bounded: an inode is forgotten when all its names were met, and beyond
 * LINKS_MAX inodes known at once further ones are scanned by each name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_LINKS_H
#define SIMHASH_INDEX_LINKS_H

#include "index/task.h"

#define LINKS_MAX 400000 /* some 250 bytes each */

struct link_table;
struct link; /* an inode of several names */

struct link_table *link_table_new(void); /* NULL when memory is short */
void link_table_free(struct link_table *table);

/*
 * Enter a file that the walk found: sets task->link, and task->is_first for its first
 * name. A file of one name, or one too many, has no link.
 */
void link_table_enter(struct link_table *table, const struct found_file *file, struct task *task);

enum link_answer {
	LINK_COPIED, /* the task's row is complete but for its keys */
	LINK_PARKED, /* link_finish will hand it to somebody */
	LINK_SCAN    /* the caller is to scan it, as the first */
};

/* What to do with a task that is not the first of its link. */
enum link_answer link_take(struct link_table *table, struct task *task);

/*
 * A first task has been dealt with. When it was scanned, all tasks parked have their
 * rows, and are returned as a list by their `next_parked`. When not, the next of them,
 * if any, is returned alone with `is_first` set: the caller is to scan it.
 */
struct task *link_finish(struct link_table *table, struct task *first);

#endif

/*
 * Scans a file with several hard links once: the first name is scanned, and the others take its
 * row. A name that comes during that scan is parked with it, and completed by the thread that
 * finishes the scan; no thread waits.
 *
 * Some file systems give one inode number to several files. So two names belong to one file only if
 * size, modification time and status time are also equal, and the scanned file must be the file
 * that the walk found. Otherwise each is scanned.
 *
 * Memory is bounded: an inode is forgotten when all its names were met, and beyond LINKS_MAX inodes
 * known at once each name of a further one is scanned.
 *
 * Any number of threads may use it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_HARD_LINKS_H
#define SIMHASH_INDEX_HARD_LINKS_H

#include "index/work/batch.h"

#define LINKS_MAX 300000 /* about 500 bytes each */

struct hard_links;
struct hard_link; /* an inode of several names */

struct hard_links *hard_links_new(void); /* NULL when memory is short */
void hard_links_free(struct hard_links *links);

/*
 * Enter a file that the walk found: sets task->names.link, and task->names.is_leader for its first name. A
 * file of one name, or one too many, has no link.
 */
void hard_links_enter(struct hard_links *links, const struct found_file *file, struct task *task);

enum hard_link_answer {
	LINK_COPIED, /* the task's row is complete but for its keys */
	LINK_PARKED, /* another thread will complete the task */
	LINK_SCAN    /* the caller scans it, as the leader */
};

/* What to do with a task that does not lead its link. */
enum hard_link_answer hard_links_take(struct hard_links *links, struct task *task);

/*
 * The scan of a leader is over. If its row is that of the link, the tasks that are parked have
 * their rows, and are returned as a list by their `next_parked`. If not, the next of them, if any,
 * is returned alone, for the caller to scan: it is the leader.
 */
struct task *hard_links_finish(struct hard_links *links, struct task *leader);

#endif

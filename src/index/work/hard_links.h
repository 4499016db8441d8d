/*
 * Scans a file with several hard links once: the first name is scanned, and the others get its row.
 * If another name comes during that scan, its task is parked, and the thread that finishes the scan
 * completes it. So no thread waits.
 *
 * Some file systems give one inode number to several files. So two names belong to one file only if
 * size, modification time and status time are also equal, and the scanned file must be the file
 * that the walk found. Otherwise each name is scanned.
 *
 * Memory is limited: an inode is forgotten when all its names were met. If LINKS_MAX inodes are
 * known, each name of a further inode is scanned.
 *
 * Any number of threads may use this.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_HARD_LINKS_H
#define SIMHASH_INDEX_HARD_LINKS_H

#include "index/work/batch.h"

#define LINKS_MAX 300000 /* about 500 bytes each */

struct hard_links;
struct hard_link; /* an inode with several names */

struct hard_links *hard_links_new(void); /* NULL if memory is short */
void hard_links_free(struct hard_links *links);

/*
 * Add a file that the walk found: sets task->names.link, and task->names.is_leader for its first
 * name. A file with one name, or a file for which there is no room, has no link.
 */
void hard_links_enter(struct hard_links *links, const struct found_file *file, struct task *task);

enum hard_link_answer {
	LINK_COPIED, /* the task's row is complete except for its keys */
	LINK_PARKED, /* another thread will complete the task */
	LINK_SCAN    /* the caller scans it, as the leader */
};

/* Decide about a task that does not lead its link. */
enum hard_link_answer hard_links_take(struct hard_links *links, struct task *task);

/*
 * Call this after the scan of a leader. If its row belongs to the link, all parked tasks have their
 * rows now, and are returned as a list, linked by `next_parked`. Otherwise the next parked task, if
 * any, is returned alone: it is the new leader, and the caller must scan it.
 */
struct task *hard_links_finish(struct hard_links *links, struct task *leader);

#endif

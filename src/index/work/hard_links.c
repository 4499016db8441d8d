/*
 * Stores a tree of inodes by device and number, under one lock, and copies rows between the names
 * of one file.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/hard_links.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct hard_link {
	uint64_t device, inode, names_left;
	int64_t size_bytes, mtime_ns, changed_ns;
	bool is_inflated;
	bool is_scanning, is_known; /* a leader is scanning the file; its row is known */
	struct task *parked;	    /* a list of tasks, the last one first */
	unsigned tasks;		    /* the number of tasks that refer to this link */
	struct file_row row; /* the row that all names share, with a reference to the sketches */
};

struct hard_links {
	pthread_mutex_t lock;
	void *tree; /* a tree of tsearch() */
	size_t used;
};

struct hard_links *hard_links_new(void)
{
	struct hard_links *links = calloc(1, sizeof *links);

	if (links != NULL)
		pthread_mutex_init(&links->lock, NULL);
	return links;
}

static int order(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

static int compare_links(const void *a, const void *b)
{
	const struct hard_link *x = a, *y = b;
	int by_inode = order(x->inode, y->inode), by_device = order(x->device, y->device);

	if (by_inode != 0 || by_device != 0)
		return by_inode != 0 ? by_inode : by_device;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	if (x->mtime_ns != y->mtime_ns)
		return x->mtime_ns < y->mtime_ns ? -1 : 1;
	if (x->changed_ns != y->changed_ns)
		return x->changed_ns < y->changed_ns ? -1 : 1;
	return x->is_inflated - y->is_inflated;
}

static void remove_link(struct hard_links *links, struct hard_link *link)
{
	tdelete(link, &links->tree, compare_links);
	links->used--;
	row_sketches_drop(link->row.sketches);
	free(link);
}

void hard_links_free(struct hard_links *links)
{
	if (links == NULL)
		return;
	/* A node begins with a pointer to its item. */
	while (links->tree != NULL)
		remove_link(links, *(struct hard_link **)links->tree);
	pthread_mutex_destroy(&links->lock);
	free(links);
}

/* Return the link of an inode, and add it if it is new. NULL if there is no room for it. */
static struct hard_link *find_link(struct hard_links *links, const struct hard_link *wanted)
{
	struct hard_link **known = tfind(wanted, &links->tree, compare_links), *link;

	if (known != NULL)
		return *known;
	link = links->used == LINKS_MAX ? NULL : malloc(sizeof *link);
	if (link == NULL)
		return NULL;
	*link = *wanted;
	if (tsearch(link, &links->tree, compare_links) == NULL) {
		free(link);
		return NULL;
	}
	links->used++;
	return link;
}

void hard_links_enter(struct hard_links *links, const struct found_file *file, struct task *task)
{
	const struct hard_link wanted = {.device = file->device,
					 .inode = file->inode,
					 .names_left = file->links,
					 .size_bytes = file->size_bytes,
					 .mtime_ns = file->mtime_ns,
					 .changed_ns = file->changed_ns,
					 .is_inflated = file->is_inflated};
	struct hard_link *link;

	if (file->links < 2)
		return;
	pthread_mutex_lock(&links->lock);
	link = find_link(links, &wanted);
	if (link != NULL) {
		task->names.link = link;
		task->names.is_leader = !link->is_scanning && !link->is_known;
		if (task->names.is_leader)
			link->is_scanning = true;
		link->tasks++;
		if (link->names_left > 0)
			link->names_left--;
	}
	pthread_mutex_unlock(&links->lock);
}

/* A task leaves its link. The last task frees the link if all names were met. */
static void leave(struct hard_links *links, struct task *task)
{
	struct hard_link *link = task->names.link;

	task->names.link = NULL;
	if (--link->tasks == 0 && link->names_left == 0)
		remove_link(links, link);
}

static void copy_row(const struct hard_link *link, struct task *task)
{
	row_take_file(&task->row, &link->row);
	task->row.links = task->found.links;
}

enum hard_link_answer hard_links_take(struct hard_links *links, struct task *task)
{
	struct hard_link *link = task->names.link;
	enum hard_link_answer answer = LINK_SCAN;

	pthread_mutex_lock(&links->lock);
	if (link->is_known) {
		copy_row(link, task);
		leave(links, task);
		answer = LINK_COPIED;
	} else if (link->is_scanning) {
		task->names.next_parked = link->parked;
		link->parked = task;
		answer = LINK_PARKED;
	} else {
		link->is_scanning = true;
		task->names.is_leader = true;
	}
	pthread_mutex_unlock(&links->lock);
	return answer;
}

/* Does this row, read from the opened file, belong to this link? */
static bool is_row_of(const struct hard_link *link, const struct file_row *row)
{
	int64_t size_bytes = link->is_inflated ? row->compressed_size_bytes : row->size_bytes;

	return (uint64_t)row->device == link->device && (uint64_t)row->inode == link->inode &&
	       size_bytes == link->size_bytes && row->mtime_ns == link->mtime_ns;
}

struct task *hard_links_finish(struct hard_links *links, struct task *leader)
{
	struct hard_link *link = leader->names.link;
	struct task *parked;

	pthread_mutex_lock(&links->lock);
	link->is_scanning = false;
	parked = link->parked;
	if (leader->result.is_scanned && is_row_of(link, &leader->row)) {
		row_take_file(&link->row, &leader->row);
		link->is_known = true;
		link->parked = NULL;
		for (struct task *task = parked; task != NULL; task = task->names.next_parked) {
			copy_row(link, task);
			leave(links, task);
		}
	} else if (parked != NULL) {
		link->parked = parked->names.next_parked;
		link->is_scanning = true;
		parked->names.next_parked = NULL;
		parked->names.is_leader = true;
	}
	leave(links, leader);
	pthread_mutex_unlock(&links->lock);
	return parked;
}

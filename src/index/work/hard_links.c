/*
 * Stores a hash table of inodes by device and number, under one lock, and copies rows between names
 * of one file.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/hard_links.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/seed.h"

struct hard_link {
	struct hard_link *next; /* the next link in its slot */
	uint64_t device, inode, names_left;
	int64_t size_bytes, mtime_ns, changed_ns;
	bool is_inflated;
	bool is_scanning, is_known; /* its row, by a leader */
	struct task *parked;	    /* a list, the last one first */
	unsigned tasks;		    /* tasks that refer to this link */
	struct file_row row; /* the row that its names share, with a reference to the sketches */
};

struct hard_links {
	pthread_mutex_t lock;
	struct hard_link **slots;
	size_t slot_count, used;
};

#define SLOTS_MIN 1024

struct hard_links *hard_links_new(void)
{
	struct hard_links *links = calloc(1, sizeof *links);

	if (links == NULL)
		return NULL;
	links->slots = calloc(SLOTS_MIN, sizeof(struct hard_link *));
	if (links->slots == NULL) {
		free(links);
		return NULL;
	}
	links->slot_count = SLOTS_MIN;
	pthread_mutex_init(&links->lock, NULL);
	return links;
}

static void remove_link(struct hard_links *links, struct hard_link **at)
{
	struct hard_link *link = *at;

	*at = link->next;
	links->used--;
	row_sketches_drop(link->row.sketches);
	free(link);
}

void hard_links_free(struct hard_links *links)
{
	if (links == NULL)
		return;
	for (size_t i = 0; i < links->slot_count; i++)
		while (links->slots[i] != NULL)
			remove_link(links, &links->slots[i]);
	free(links->slots);
	pthread_mutex_destroy(&links->lock);
	free(links);
}

static bool is_same(const struct hard_link *x, const struct hard_link *y)
{
	return x->device == y->device && x->inode == y->inode && x->size_bytes == y->size_bytes &&
	       x->mtime_ns == y->mtime_ns && x->changed_ns == y->changed_ns &&
	       x->is_inflated == y->is_inflated;
}

/* Return the place of a link, or the place to insert it. */
static struct hard_link **find_link(const struct hard_links *links, const struct hard_link *wanted)
{
	uint64_t hash = hash_seeded(wanted->inode, wanted->device);
	struct hard_link **link = &links->slots[hash & (links->slot_count - 1)];

	while (*link != NULL && !is_same(*link, wanted))
		link = &(*link)->next;
	return link;
}

static void grow(struct hard_links *links)
{
	struct hard_links larger = {.slot_count = 2 * links->slot_count};

	larger.slots = calloc(larger.slot_count, sizeof(struct hard_link *));
	if (larger.slots == NULL)
		return;
	for (size_t i = 0; i < links->slot_count; i++)
		for (struct hard_link *link = links->slots[i], *next; link != NULL; link = next) {
			next = link->next;
			link->next = NULL;
			*find_link(&larger, link) = link;
		}
	free(links->slots);
	links->slots = larger.slots;
	links->slot_count = larger.slot_count;
}

/* Add a link. NULL if there is no room for it. */
static struct hard_link *add_link(struct hard_links *links, const struct hard_link *wanted)
{
	struct hard_link *link;

	if (links->used == links->slot_count)
		grow(links);
	link = links->used == LINKS_MAX ? NULL : calloc(1, sizeof *link);
	if (link == NULL)
		return NULL;
	*link = *wanted;
	*find_link(links, link) = link;
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
	link = *find_link(links, &wanted);
	if (link == NULL)
		link = add_link(links, &wanted);
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
		remove_link(links, find_link(links, link));
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

/*
 * A table of inodes by device and number, whose slots are lists, behind one lock.
 * SPDX-License-Identifier: MIT
 */
#include "index/hard_links.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/seed.h"

struct hard_link {
	struct hard_link *next; /* in its slot */
	uint64_t device, inode, names_left;
	bool is_inflated;
	bool is_scanning, is_known; /* its row, by a leader */
	struct task *parked;	    /* a list, the last one that came first */
	unsigned tasks;		    /* that point here */
	struct file_row row;	    /* what its names share, with a reference to the sketches */
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

/* Where a link is, or is to be. */
static struct hard_link **find_link(const struct hard_links *links, uint64_t device, uint64_t inode,
				    bool is_inflated)
{
	uint64_t hash = hash_seeded(inode, device);
	struct hard_link **link = &links->slots[hash & (links->slot_count - 1)];

	while (*link != NULL && ((*link)->device != device || (*link)->inode != inode ||
				 (*link)->is_inflated != is_inflated))
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
			*find_link(&larger, link->device, link->inode, link->is_inflated) = link;
		}
	free(links->slots);
	links->slots = larger.slots;
	links->slot_count = larger.slot_count;
}

/* A new link, or NULL where there is no room for it. */
static struct hard_link *add_link(struct hard_links *links, const struct found_file *file)
{
	struct hard_link *link;

	if (links->used == links->slot_count)
		grow(links);
	link = links->used == LINKS_MAX ? NULL : calloc(1, sizeof *link);
	if (link == NULL)
		return NULL;
	link->device = file->device;
	link->inode = file->inode;
	link->is_inflated = file->is_inflated;
	link->names_left = file->links;
	*find_link(links, link->device, link->inode, link->is_inflated) = link;
	links->used++;
	return link;
}

void hard_links_enter(struct hard_links *links, const struct found_file *file, struct task *task)
{
	struct hard_link *link;

	if (file->links < 2)
		return;
	pthread_mutex_lock(&links->lock);
	link = *find_link(links, file->device, file->inode, file->is_inflated);
	if (link == NULL)
		link = add_link(links, file);
	if (link != NULL) {
		task->link = link;
		task->is_leader = !link->is_scanning && !link->is_known;
		if (task->is_leader)
			link->is_scanning = true;
		link->tasks++;
		if (link->names_left > 0)
			link->names_left--;
	}
	pthread_mutex_unlock(&links->lock);
}

/* A task has left its link; the last one frees it, once all names were met. */
static void leave(struct hard_links *links, struct task *task)
{
	struct hard_link *link = task->link;

	task->link = NULL;
	if (--link->tasks == 0 && link->names_left == 0)
		remove_link(links, find_link(links, link->device, link->inode, link->is_inflated));
}

static void copy_row(const struct hard_link *link, struct task *task)
{
	row_take_file(&task->row, &link->row);
	task->row.links = task->links;
}

enum hard_link_answer hard_links_take(struct hard_links *links, struct task *task)
{
	struct hard_link *link = task->link;
	enum hard_link_answer answer = LINK_SCAN;

	pthread_mutex_lock(&links->lock);
	if (link->is_known) {
		copy_row(link, task);
		leave(links, task);
		answer = LINK_COPIED;
	} else if (link->is_scanning) {
		task->next_parked = link->parked;
		link->parked = task;
		answer = LINK_PARKED;
	} else {
		link->is_scanning = true;
		task->is_leader = true;
	}
	pthread_mutex_unlock(&links->lock);
	return answer;
}

struct task *hard_links_finish(struct hard_links *links, struct task *leader)
{
	struct hard_link *link = leader->link;
	struct task *parked;

	pthread_mutex_lock(&links->lock);
	link->is_scanning = false;
	parked = link->parked;
	if (leader->is_scanned) {
		row_take_file(&link->row, &leader->row);
		link->is_known = true;
		link->parked = NULL;
		for (struct task *task = parked; task != NULL; task = task->next_parked) {
			copy_row(link, task);
			leave(links, task);
		}
	} else if (parked != NULL) {
		link->parked = parked->next_parked;
		link->is_scanning = true;
		parked->next_parked = NULL;
		parked->is_leader = true;
	}
	leave(links, leader);
	pthread_mutex_unlock(&links->lock);
	return parked;
}

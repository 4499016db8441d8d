/*
 * A table of inodes by device and number, open-addressed, behind one lock.
 * SPDX-License-Identifier: MIT
 */
#include "index/links.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct link {
	uint64_t device, inode, names_left;
	bool is_inflated, is_scanning, is_known;
	struct task *parked; /* the last one met first */
	unsigned tasks;	     /* that point here */
	/* Of its row. */
	struct simhash_sum_table table;
	uint8_t content_hash[CONTENT_HASH_SIZE];
	int64_t size_bytes, mtime_ns, scanned_at_ns, compressed_size_bytes;
	struct row_sketches *sketches; /* a reference, or NULL */
};

struct link_table {
	pthread_mutex_t lock;
	struct link **slots; /* NULL is free; there are always free ones */
	size_t slot_count, used;
};

#define SLOTS_LEAST 1024

struct link_table *link_table_new(void)
{
	struct link_table *table = calloc(1, sizeof *table);

	if (table == NULL)
		return NULL;
	table->slots = calloc(SLOTS_LEAST, sizeof(struct link *));
	if (table->slots == NULL) {
		free(table);
		return NULL;
	}
	table->slot_count = SLOTS_LEAST;
	pthread_mutex_init(&table->lock, NULL);
	return table;
}

void link_table_free(struct link_table *table)
{
	if (table == NULL)
		return;
	for (size_t i = 0; i < table->slot_count; i++)
		if (table->slots[i] != NULL) {
			row_sketches_drop(table->slots[i]->sketches);
			free(table->slots[i]);
		}
	free(table->slots);
	pthread_mutex_destroy(&table->lock);
	free(table);
}

static size_t home_of(const struct link_table *table, uint64_t device, uint64_t inode)
{
	uint64_t hash =
		(inode ^ device * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);

	return (size_t)(hash ^ hash >> 32) & (table->slot_count - 1);
}

static struct link **find_slot(const struct link_table *table, uint64_t device, uint64_t inode,
			       bool is_inflated)
{
	size_t slot = home_of(table, device, inode);

	for (;; slot = (slot + 1) & (table->slot_count - 1)) {
		const struct link *link = table->slots[slot];
		if (link == NULL || (link->device == device && link->inode == inode &&
				     link->is_inflated == is_inflated))
			return &table->slots[slot];
	}
}

/* Take a link out of its slot, and move up those behind it that are away from home. */
static void remove_link(struct link_table *table, struct link *link)
{
	size_t mask = table->slot_count - 1, hole, next;

	hole = (size_t)(find_slot(table, link->device, link->inode, link->is_inflated) -
			table->slots);
	table->slots[hole] = NULL;
	table->used--;
	for (next = (hole + 1) & mask; table->slots[next] != NULL; next = (next + 1) & mask) {
		struct link *moved = table->slots[next];
		size_t home = home_of(table, moved->device, moved->inode);
		if (((next - home) & mask) < ((next - hole) & mask))
			continue;
		table->slots[hole] = moved;
		table->slots[next] = NULL;
		hole = next;
	}
	row_sketches_drop(link->sketches);
	free(link);
}

static void grow(struct link_table *table)
{
	struct link_table larger = {.slot_count = 2 * table->slot_count};

	larger.slots = calloc(larger.slot_count, sizeof(struct link *));
	if (larger.slots == NULL)
		return;
	for (size_t i = 0; i < table->slot_count; i++) {
		struct link *link = table->slots[i];
		if (link != NULL)
			*find_slot(&larger, link->device, link->inode, link->is_inflated) = link;
	}
	free(table->slots);
	table->slots = larger.slots;
	table->slot_count = larger.slot_count;
}

/* A new link, or NULL where there is no room for it. */
static struct link *add_link(struct link_table *table, const struct found_file *file)
{
	struct link *link;

	if (2 * (table->used + 1) > table->slot_count)
		grow(table);
	if (table->used == LINKS_MAX || table->used + 1 == table->slot_count)
		return NULL;
	link = calloc(1, sizeof *link);
	if (link == NULL)
		return NULL;
	link->device = file->device;
	link->inode = file->inode;
	link->is_inflated = file->is_inflated;
	link->names_left = file->links;
	*find_slot(table, link->device, link->inode, link->is_inflated) = link;
	table->used++;
	return link;
}

void link_table_enter(struct link_table *table, const struct found_file *file, struct task *task)
{
	struct link *link;

	if (file->links < 2)
		return;
	pthread_mutex_lock(&table->lock);
	link = *find_slot(table, file->device, file->inode, file->is_inflated);
	if (link == NULL)
		link = add_link(table, file);
	if (link != NULL) {
		task->link = link;
		task->is_first = !link->is_scanning && !link->is_known;
		if (task->is_first)
			link->is_scanning = true;
		link->tasks++;
		if (link->names_left > 0)
			link->names_left--;
	}
	pthread_mutex_unlock(&table->lock);
}

/* A task needs its link no more; the last one to say so, of all its names, frees it. */
static void leave(struct link_table *table, struct task *task)
{
	struct link *link = task->link;

	task->link = NULL;
	if (--link->tasks == 0 && link->names_left == 0)
		remove_link(table, link);
}

static void copy_row(const struct link *link, struct task *task)
{
	struct file_row *row = &task->row;

	row->table = link->table;
	memcpy(row->content_hash, link->content_hash, CONTENT_HASH_SIZE);
	row->size_bytes = link->size_bytes;
	row->mtime_ns = link->mtime_ns;
	row->scanned_at_ns = link->scanned_at_ns;
	row->compressed_size_bytes = link->compressed_size_bytes;
	row->device = (int64_t)link->device;
	row->inode = (int64_t)link->inode;
	row->links = task->links;
	row_sketches_drop(row->sketches);
	row->sketches = row_sketches_hold(link->sketches);
}

enum link_answer link_take(struct link_table *table, struct task *task)
{
	struct link *link = task->link;
	enum link_answer answer = LINK_SCAN;

	pthread_mutex_lock(&table->lock);
	if (link->is_known) {
		copy_row(link, task);
		leave(table, task);
		answer = LINK_COPIED;
	} else if (link->is_scanning) {
		task->next_parked = link->parked;
		link->parked = task;
		answer = LINK_PARKED;
	} else {
		link->is_scanning = true;
		task->is_first = true;
	}
	pthread_mutex_unlock(&table->lock);
	return answer;
}

static void keep_row(struct link *link, const struct file_row *row)
{
	link->table = row->table;
	memcpy(link->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	link->size_bytes = row->size_bytes;
	link->mtime_ns = row->mtime_ns;
	link->scanned_at_ns = row->scanned_at_ns;
	link->compressed_size_bytes = row->compressed_size_bytes;
	row_sketches_drop(link->sketches);
	link->sketches = row_sketches_hold(row->sketches);
}

struct task *link_finish(struct link_table *table, struct task *first)
{
	struct link *link = first->link;
	struct task *parked;

	pthread_mutex_lock(&table->lock);
	link->is_scanning = false;
	parked = link->parked;
	if (first->is_scanned) {
		keep_row(link, &first->row);
		link->is_known = true;
		link->parked = NULL;
		for (struct task *task = parked; task != NULL; task = task->next_parked) {
			copy_row(link, task);
			leave(table, task);
		}
	} else if (parked != NULL) {
		link->parked = parked->next_parked;
		link->is_scanning = true;
		parked->next_parked = NULL;
		parked->is_first = true;
	}
	leave(table, first);
	pthread_mutex_unlock(&table->lock);
	return parked;
}

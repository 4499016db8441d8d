/*
 * A list of pairs and the table of their files.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void pair_list_init(struct pair_list *list)
{
	*list = (struct pair_list){.files = NULL};
	pthread_mutex_init(&list->lock, NULL);
}

void pair_list_release(struct pair_list *list)
{
	arena_release(&list->arena);
	free(list->files);
	free(list->slots);
	free(list->pairs);
	pthread_mutex_destroy(&list->lock);
}

static size_t slot_of(const struct pair_list *list, const struct find_file *file)
{
	uint64_t hash;

	memcpy(&hash, file->path_hash + 8, sizeof hash);
	hash ^= (uint64_t)file->host * UINT64_C(0x9e3779b97f4a7c15) ^ file->path_hash[0];
	return (size_t)(hash ^ hash >> 29) & (list->slot_count - 1);
}

static bool is_same(const struct find_file *x, const struct find_file *y)
{
	return x->host == y->host && x->is_stream == y->is_stream &&
	       memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE) == 0;
}

/* Where the file's number is, or belongs. */
static uint32_t *find_slot(const struct pair_list *list, const struct find_file *file)
{
	size_t slot = slot_of(list, file);

	while (list->slots[slot] != 0 && !is_same(&list->files[list->slots[slot] - 1], file))
		slot = (slot + 1) & (list->slot_count - 1);
	return &list->slots[slot];
}

static int grow_slots(struct pair_list *list, struct simhash_error *error)
{
	size_t count = list->slot_count == 0 ? 1024 : list->slot_count * 2;
	uint32_t *grown = calloc(count, sizeof *grown);

	if (grown == NULL)
		return error_set_memory(error);
	free(list->slots);
	list->slots = grown;
	list->slot_count = count;
	for (size_t i = 0; i < list->file_count; i++)
		*find_slot(list, &list->files[i]) = (uint32_t)i + 1;
	return 0;
}

static int keep_file(struct pair_list *list, const struct find_file *file, uint32_t *number,
		     struct simhash_error *error)
{
	struct find_file *kept;
	uint32_t *slot;
	char *display;

	if (list->file_count * 2 >= list->slot_count && grow_slots(list, error) != 0)
		return -1;
	slot = find_slot(list, file);
	if (*slot != 0) {
		*number = *slot - 1;
		return 0;
	}
	if (list->file_count == list->file_room) {
		size_t room = list->file_room == 0 ? 256 : list->file_room * 2;
		struct find_file *grown = realloc(list->files, room * sizeof *grown);
		if (grown == NULL)
			return error_set_memory(error);
		list->files = grown;
		list->file_room = room;
	}
	display = arena_take(&list->arena, (size_t)file->display_size + 1);
	if (display == NULL)
		return error_set_memory(error);
	memcpy(display, file->display, (size_t)file->display_size + 1);
	*number = (uint32_t)list->file_count++;
	*slot = *number + 1;
	kept = &list->files[*number];
	*kept = *file;
	kept->display = display;
	kept->copies = NULL;
	kept->copy_count = 0;
	return 0;
}

static int add(struct pair_list *list, const struct found_pair *pair, struct simhash_error *error)
{
	struct kept_pair kept = {.distance = pair->distance,
				 .estimate = pair->estimate,
				 .is_identical = pair->is_identical,
				 .state = pair->is_measured ? PAIR_MEASURED : PAIR_UNREAD,
				 .resemblance = pair->similarity};

	if (keep_file(list, pair->a, &kept.a, error) != 0 ||
	    keep_file(list, pair->b, &kept.b, error) != 0)
		return -1;
	if (list->count == list->room) {
		size_t room = list->room == 0 ? 1024 : list->room * 2;
		struct kept_pair *grown = realloc(list->pairs, room * sizeof *grown);
		if (grown == NULL)
			return error_set_memory(error);
		list->pairs = grown;
		list->room = room;
	}
	list->pairs[list->count++] = kept;
	return 0;
}

int pair_list_add(struct pair_list *list, const struct found_pair *pair,
		  struct simhash_error *error)
{
	int status;

	pthread_mutex_lock(&list->lock);
	status = add(list, pair, error);
	pthread_mutex_unlock(&list->lock);
	return status;
}

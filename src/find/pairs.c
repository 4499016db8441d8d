/*
 * A list of pairs and the table of their files.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
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

/* Where the file is, or belongs. */
static struct find_file **find_slot(const struct pair_list *list, const struct find_file *file)
{
	size_t slot = slot_of(list, file);

	while (list->slots[slot] != NULL && !is_same(list->slots[slot], file))
		slot = (slot + 1) & (list->slot_count - 1);
	return &list->slots[slot];
}

static int grow_slots(struct pair_list *list, struct simhash_error *error)
{
	size_t count = list->slot_count == 0 ? 1024 : list->slot_count * 2;
	struct find_file **grown = calloc(count, sizeof(struct find_file *));

	if (grown == NULL)
		return error_set_memory(error);
	free(list->slots);
	list->slots = grown;
	list->slot_count = count;
	for (size_t i = 0; i < list->file_count; i++)
		*find_slot(list, list->files[i]) = list->files[i];
	return 0;
}

static struct find_file *copy_file(struct pair_list *list, const struct find_file *file)
{
	struct find_file *kept = arena_take(&list->arena, sizeof *kept);
	char *display = arena_take(&list->arena, (size_t)file->display_size + 1);

	if (kept == NULL || display == NULL)
		return NULL;
	memcpy(display, file->display, (size_t)file->display_size + 1);
	*kept = *file;
	kept->display = display;
	kept->copies = NULL;
	kept->copy_count = 0;
	return kept;
}

/* *kept is the list's own copy. */
static int keep_file(struct pair_list *list, const struct find_file *file,
		     const struct find_file **kept, struct simhash_error *error)
{
	struct find_file **slot, *added;

	if (list->file_count * 2 >= list->slot_count && grow_slots(list, error) != 0)
		return -1;
	slot = find_slot(list, file);
	*kept = *slot;
	if (*slot != NULL)
		return 0;
	if (array_reserve(&list->files, &list->file_capacity, list->file_count + 1,
			  sizeof(struct find_file *), error) != 0)
		return -1;
	added = copy_file(list, file);
	if (added == NULL)
		return error_set_memory(error);
	added->number = (uint32_t)list->file_count;
	list->files[list->file_count++] = added;
	*slot = added;
	*kept = added;
	return 0;
}

int pair_list_append(struct pair_list *list, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct file_pair kept = *pair;

	if (keep_file(list, pair->a, &kept.a, error) != 0 ||
	    keep_file(list, pair->b, &kept.b, error) != 0 ||
	    array_reserve(&list->pairs, &list->capacity, list->count + 1, sizeof *list->pairs,
			  error) != 0)
		return -1;
	list->pairs[list->count++] = kept;
	return 0;
}

int pair_list_add(struct pair_list *list, const struct file_pair *pair, struct simhash_error *error)
{
	int status;

	pthread_mutex_lock(&list->lock);
	status = pair_list_append(list, pair, error);
	pthread_mutex_unlock(&list->lock);
	return status;
}

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

static uint64_t hash_of(const struct find_file *file)
{
	uint64_t hash;

	memcpy(&hash, file->path_hash + 8, sizeof hash);
	hash ^= (uint64_t)file->host * UINT64_C(0x9e3779b97f4a7c15) ^ file->path_hash[0];
	return hash ^ hash >> 29;
}

static bool is_same(const struct find_file *x, const struct find_file *y)
{
	return x->host == y->host && x->is_stream == y->is_stream &&
	       memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE) == 0;
}

/* Where the file is, or belongs; NULL: no file that is there already. */
static struct kept_slot *find_slot(const struct pair_list *list, uint64_t hash,
				   const struct find_file *file)
{
	size_t slot = (size_t)hash & (list->slot_count - 1);

	while (list->slots[slot].file != NULL && (file == NULL || list->slots[slot].hash != hash ||
						  !is_same(list->slots[slot].file, file)))
		slot = (slot + 1) & (list->slot_count - 1);
	return &list->slots[slot];
}

static int grow_slots(struct pair_list *list, struct simhash_error *error)
{
	struct kept_slot *old = list->slots;
	size_t old_count = list->slot_count, count = old_count == 0 ? 1024 : old_count * 2;
	struct kept_slot *grown = calloc(count, sizeof *grown);

	if (grown == NULL)
		return error_set_memory(error);
	list->slots = grown;
	list->slot_count = count;
	for (size_t i = 0; i < old_count; i++)
		if (old[i].file != NULL)
			*find_slot(list, old[i].hash, NULL) = old[i];
	free(old);
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

static struct find_file *add_file(struct pair_list *list, const struct find_file *file,
				  struct kept_slot *slot, uint64_t hash,
				  struct simhash_error *error)
{
	struct find_file *added;

	if (array_reserve(&list->files, &list->file_capacity, list->file_count + 1,
			  sizeof(struct find_file *), error) != 0)
		return NULL;
	added = copy_file(list, file);
	if (added == NULL) {
		error_set_memory(error);
		return NULL;
	}
	added->number = (uint32_t)list->file_count;
	list->files[list->file_count++] = added;
	*slot = (struct kept_slot){hash, added};
	return added;
}

/* *kept is the list's own copy. */
static int keep_file(struct pair_list *list, const struct find_file *file,
		     const struct find_file **kept, struct simhash_error *error)
{
	uint64_t hash = hash_of(file);
	struct find_file **recent = &list->recent[hash % PAIRS_RECENT];
	struct kept_slot *slot;

	if (*recent == NULL || !is_same(*recent, file)) {
		if (list->file_count * 2 >= list->slot_count && grow_slots(list, error) != 0)
			return -1;
		slot = find_slot(list, hash, file);
		*recent = slot->file != NULL ? slot->file : add_file(list, file, slot, hash, error);
	}
	*kept = *recent;
	return *kept == NULL ? -1 : 0;
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

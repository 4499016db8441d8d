/*
 * Stores a list of pairs and a hash table of their files.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/pairs.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"

void pair_list_init(struct pair_list *list)
{
	*list = (struct pair_list){.files = NULL};
	pthread_mutex_init(&list->lock, NULL);
}

void pair_list_release(struct pair_list *list)
{
	arena_release(&list->arena);
	free(list->files);
	free(list->pairs);
	pair_list_end(list);
	pthread_mutex_destroy(&list->lock);
}

void pair_list_end(struct pair_list *list)
{
	slots_release(&list->slots);
}

uint64_t pair_file_hash(const struct find_file *file)
{
	return hash_seeded(hash_seeded_bytes(file->path_hash), (uint64_t)file->host);
}

static bool is_same(const struct find_file *x, const struct find_file *y)
{
	return x->host == y->host && x->is_stream == y->is_stream &&
	       memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE) == 0;
}

/* The file that is searched for. */
struct file_key {
	const struct pair_list *list;
	const struct find_file *file;
};

static bool is_file(const void *key, uint32_t number)
{
	const struct file_key *wanted = key;

	return is_same(wanted->list->files[number - 1], wanted->file);
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

/* The slot of a file, or a free slot for it; NULL: no memory. */
static struct slot *need_slot(struct pair_list *list, uint64_t hash, const struct find_file *file,
			      struct simhash_error *error)
{
	if (slots_reserve(&list->slots, error) != 0)
		return NULL;
	if (array_reserve(&list->files, &list->file_capacity, list->file_count + 1,
			  sizeof(struct find_file *), error) != 0)
		return NULL;
	return slots_find(&list->slots, hash, is_file, &(struct file_key){list, file});
}

static void enter_file(struct pair_list *list, struct slot *slot, uint64_t hash,
		       struct find_file *file)
{
	file->number = (uint32_t)list->file_count;
	list->files[list->file_count++] = file;
	slots_add(&list->slots, slot, hash, file->number + 1);
}

static struct find_file *find_or_add(struct pair_list *list, const struct find_file *file,
				     uint64_t hash, struct simhash_error *error)
{
	struct slot *slot = need_slot(list, hash, file, error);
	struct find_file *added;

	if (slot == NULL)
		return NULL;
	if (slot->number != NO_ITEM)
		return list->files[slot->number - 1];
	added = copy_file(list, file);
	if (added == NULL)
		error_set_memory(error);
	else
		enter_file(list, slot, hash, added);
	return added;
}

/* A requested document has pairs as a file and by its text; the text describes it. */
static void describe_by_text(struct find_file *kept, const struct find_file *file)
{
	const struct find_file old = *kept;

	if (kept->document_bytes > 0 || file->document_bytes == 0)
		return;
	*kept = *file;
	kept->display = old.display;
	kept->number = old.number;
	kept->copies = old.copies;
	kept->copy_count = old.copy_count;
}

/* *kept becomes the list's own copy. */
static int keep_file(struct pair_list *list, const struct find_file *file,
		     const struct find_file **kept, struct simhash_error *error)
{
	uint64_t hash = pair_file_hash(file);
	struct find_file **recent = &list->recent[hash % PAIRS_RECENT];

	if (*recent == NULL || !is_same(*recent, file))
		*recent = find_or_add(list, file, hash, error);
	if (*recent != NULL)
		describe_by_text(*recent, file);
	*kept = *recent;
	return *kept == NULL ? -1 : 0;
}

const struct part_place *pair_list_keep_place(struct pair_list *list,
					      const struct part_place *place)
{
	struct part_place *kept = arena_take(&list->arena, sizeof *kept);

	if (kept != NULL)
		*kept = *place;
	return kept;
}

int pair_list_append(struct pair_list *list, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct file_pair kept = *pair;

	if (pair->place != NULL && (kept.place = pair_list_keep_place(list, pair->place)) == NULL)
		return error_set_memory(error);
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

/* For each file of the other list, find the file that represents it here: itself if it is new. */
static void find_twins(const struct pair_list *list, const struct pair_list *other,
		       struct find_file **twins)
{
	for (size_t i = 0; i < other->file_count; i++) {
		struct find_file *file = other->files[i];
		uint32_t here = slots_number(&list->slots, pair_file_hash(file), is_file,
					     &(struct file_key){list, file});
		twins[i] = here == NO_ITEM ? file : list->files[here - 1];
		if (twins[i] != file)
			describe_by_text(twins[i], file);
	}
}

int pair_list_join(struct pair_list *list, struct pair_list *other, struct simhash_error *error)
{
	struct find_file **twins = malloc((other->file_count + 1) * sizeof *twins);
	int status = twins == NULL ? error_set_memory(error) : 0;

	if (status == 0)
		status = array_reserve(&list->pairs, &list->capacity, list->count + other->count,
				       sizeof *list->pairs, error);
	if (status == 0)
		find_twins(list, other, twins);
	for (size_t i = 0; status == 0 && i < other->count; i++) {
		struct file_pair pair = other->pairs[i];
		pair.a = twins[pair.a->number];
		pair.b = twins[pair.b->number];
		list->pairs[list->count++] = pair;
	}
	/* Their numbers may not change earlier. */
	for (size_t i = 0; status == 0 && i < other->file_count; i++) {
		uint64_t hash = pair_file_hash(other->files[i]);
		struct slot *slot = need_slot(list, hash, other->files[i], error);
		if (slot == NULL)
			status = -1;
		else if (slot->number == NO_ITEM)
			enter_file(list, slot, hash, other->files[i]);
	}
	pair_list_end(other);
	free(other->pairs);
	other->pairs = NULL;
	other->count = other->capacity = 0;
	free(twins);
	return status;
}

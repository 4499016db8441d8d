/*
 * Collects files, their contents and folders, and answers questions about them.
 * SPDX-License-Identifier: MIT
 */
#include "cli/review/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"
#include "base/files/path.h"

/* ---- Names and paths ---- */

const char *review_file_name(const struct review_model *model, uint32_t file)
{
	return model->names + model->files[file].name;
}

struct bytes review_folder_name(const struct review_model *model, uint32_t folder)
{
	const struct review_folder *f = &model->folders[folder];

	return (struct bytes){model->names + f->name, f->name_size};
}

static size_t folder_path_size(const struct review_model *model, uint32_t folder)
{
	size_t size = 0;

	for (; folder != 0; folder = model->folders[folder].parent)
		size += model->folders[folder].name_size + 1;
	return size;
}

static bool make_room(struct review_path *path, size_t size)
{
	struct simhash_error ignored;

	return array_reserve(&path->text, &path->capacity, size, 1, &ignored) == 0;
}

static void write_folder_path(const struct review_model *model, uint32_t folder, char *end)
{
	for (; folder != 0; folder = model->folders[folder].parent) {
		struct bytes name = review_folder_name(model, folder);
		end -= name.size;
		memcpy(end, name.data, name.size);
		*--end = '/';
	}
}

size_t review_folder_path(const struct review_model *model, uint32_t folder,
			  struct review_path *path)
{
	size_t size = folder_path_size(model, folder);

	if (!make_room(path, size + 2))
		return 0;
	if (size == 0)
		path->text[size++] = '/';
	else
		write_folder_path(model, folder, path->text + size);
	path->text[size] = '\0';
	return size;
}

size_t review_file_path(const struct review_model *model, uint32_t file, struct review_path *path)
{
	uint32_t folder = model->files[file].folder;
	const char *name = review_file_name(model, file);
	size_t size = folder_path_size(model, folder), name_size = strlen(name);

	if (!make_room(path, size + name_size + 2))
		return 0;
	write_folder_path(model, folder, path->text + size);
	path->text[size] = '/';
	memcpy(path->text + size + 1, name, name_size + 1);
	return size + 1 + name_size;
}

/* ---- Adding ---- */

static int add_name(struct review_model *model, struct bytes name, uint32_t *at,
		    struct simhash_error *error)
{
	if (model->names_size + name.size + 1 >= UINT32_MAX)
		return error_set(error, SIMHASH_E_RANGE,
				 "the names of the copies are too long for --review; give DIRs to "
				 "limit it");
	if (array_reserve(&model->names, &model->names_capacity, model->names_size + name.size + 1,
			  1, error) != 0)
		return -1;
	*at = (uint32_t)model->names_size;
	memcpy(model->names + *at, name.data, name.size);
	model->names[*at + name.size] = '\0';
	model->names_size += name.size + 1;
	return 0;
}

static uint64_t hash_text(struct bytes text)
{
	uint64_t hash = text.size;

	while (text.size > 0) {
		size_t size = text.size < sizeof hash ? text.size : sizeof hash;
		uint64_t part = 0;
		memcpy(&part, text.data, size);
		hash = hash_seeded(hash, part);
		text = bytes_after(text, size);
	}
	return hash;
}

struct folder_key {
	const struct review_model *model;
	struct bytes path;
};

/* Slots have the number of a folder and 1. */
static bool is_folder(const void *key, uint32_t number)
{
	const struct folder_key *wanted = key;
	struct bytes path = wanted->path;
	uint32_t folder = number - 1;

	for (; folder != 0; folder = wanted->model->folders[folder].parent) {
		struct bytes name = review_folder_name(wanted->model, folder);
		if (path.size < name.size + 1 ||
		    memcmp(path.data + path.size - name.size, name.data, name.size) != 0 ||
		    path.data[path.size - name.size - 1] != '/')
			return false;
		path.size -= name.size + 1;
	}
	return path.size == 0;
}

uint32_t review_find_folder(const struct review_model *model, struct bytes path)
{
	const struct folder_key key = {model, path};

	return slots_number(&model->folder_slots, hash_text(path), is_folder, &key) - 1;
}

/* Add a folder whose parent is known. */
static int new_folder(struct review_model *model, struct bytes path, uint32_t parent,
		      struct simhash_error *error)
{
	const struct folder_key key = {model, path};
	uint64_t hash = hash_text(path);
	struct bytes above = path_above(path);
	struct bytes name = path.size == 0 ? path : bytes_after(path, above.size + 1);
	struct review_folder made = {.parent = parent, .name_size = (uint32_t)name.size};

	if (model->folder_count == UINT32_MAX - 1)
		return error_set(error, SIMHASH_E_RANGE, "too many folders for --review");
	if (array_reserve(&model->folders, &model->folder_capacity, model->folder_count + 1,
			  sizeof *model->folders, error) != 0 ||
	    slots_reserve(&model->folder_slots, error) != 0 ||
	    add_name(model, name, &made.name, error) != 0)
		return -1;
	made.depth = model->folder_count == 0 ? 0 : model->folders[parent].depth + 1;
	model->folders[model->folder_count++] = made;
	slots_add(&model->folder_slots, slots_find(&model->folder_slots, hash, is_folder, &key),
		  hash, (uint32_t)model->folder_count);
	return 0;
}

/* Find or add a folder. The missing folders above it come first; a path may have thousands. */
static int add_folder(struct review_model *model, struct bytes path, uint32_t *folder,
		      struct simhash_error *error)
{
	uint32_t above = 0;

	*folder = review_find_folder(model, path);
	while (*folder == REVIEW_NONE) {
		struct bytes missing = path, parent;
		while (missing.size > 0) {
			parent = path_above(missing);
			above = review_find_folder(model, parent);
			if (above != REVIEW_NONE)
				break;
			missing = parent;
		}
		if (missing.size == 0)
			above = 0;
		if (new_folder(model, missing, above, error) != 0)
			return -1;
		*folder = review_find_folder(model, path);
	}
	return 0;
}

struct content_key {
	const struct review_content *contents;
	int64_t size_bytes;
	const uint8_t *hash;
};

static bool is_content(const void *key, uint32_t number)
{
	const struct content_key *wanted = key;
	const struct review_content *content = &wanted->contents[number - 1];

	return (wanted->size_bytes < 0 || content->size_bytes == wanted->size_bytes) &&
	       memcmp(content->hash, wanted->hash, KEEP_HASH_SIZE) == 0;
}

static int add_content(struct review_model *model, const struct keep_file *file, uint32_t *content,
		       struct simhash_error *error)
{
	const struct content_key key = {model->contents, file->size_bytes, file->hash};
	uint64_t hash = hash_seeded_bytes(file->hash);

	*content = slots_number(&model->content_slots, hash, is_content, &key) - 1;
	if (*content != REVIEW_NONE)
		return 0;
	if (array_reserve(&model->contents, &model->content_capacity, model->content_count + 1,
			  sizeof *model->contents, error) != 0 ||
	    review_note_content(model, hash, (uint32_t)model->content_count, error) != 0)
		return -1;
	*content = (uint32_t)model->content_count++;
	model->contents[*content] = (struct review_content){.size_bytes = file->size_bytes};
	memcpy(model->contents[*content].hash, file->hash, KEEP_HASH_SIZE);
	return 0;
}

/* Two sizes with one hash have separate slots. */
int review_note_content(struct review_model *model, uint64_t hash, uint32_t content,
			struct simhash_error *error)
{
	if (slots_reserve(&model->content_slots, error) != 0)
		return -1;
	slots_add(&model->content_slots, slots_find_free(&model->content_slots, (uint32_t)hash),
		  hash, content + 1);
	return 0;
}

int review_add(struct review_model *model, const struct keep_file *file, bool is_locked,
	       struct simhash_error *error)
{
	struct review_file made = {.mtime_ns = file->mtime_ns, .is_locked = is_locked};

	if (model->count == UINT32_MAX - 1)
		return error_set(error, SIMHASH_E_RANGE, "too many copies for --review");
	if (add_folder(model, path_above(bytes_of(file->path)), &made.folder, error) != 0 ||
	    add_content(model, file, &made.content, error) != 0 ||
	    add_name(model, bytes_of(path_name(file->path)), &made.name, error) != 0 ||
	    array_reserve(&model->files, &model->file_capacity, model->count + 1,
			  sizeof *model->files, error) != 0 ||
	    array_reserve(&model->inodes, &model->inode_capacity, model->count + 1,
			  sizeof *model->inodes, error) != 0)
		return -1;
	model->inodes[model->count] = (struct review_inode){file->device, file->inode};
	model->files[model->count++] = made;
	return 0;
}

void review_release(struct review_model *model)
{
	free(model->names);
	free(model->files);
	free(model->contents);
	free(model->folders);
	free(model->by_rank);
	free(model->in_tree);
	free(model->starts);
	free(model->inodes);
	free(model->changes);
	slots_release(&model->folder_slots);
	slots_release(&model->content_slots);
	*model = (struct review_model){.names = NULL};
}

/* ---- Questions ---- */

uint32_t review_common_folder(const struct review_model *model, uint32_t x, uint32_t y)
{
	while (x != y)
		if (model->folders[x].depth >= model->folders[y].depth)
			x = model->folders[x].parent;
		else
			y = model->folders[y].parent;
	return x;
}

bool review_is_in(const struct review_model *model, uint32_t file, uint32_t folder)
{
	uint32_t rank = model->folders[model->files[file].folder].rank;

	return rank >= model->folders[folder].rank && rank < model->folders[folder].end;
}

size_t review_list_contents(const struct review_model *model, uint32_t folder, uint32_t *list,
			    struct simhash_error *error)
{
	const struct review_folder *f = &model->folders[folder];
	uint8_t *has = calloc(model->content_count / 8 + 1, 1);
	size_t count = 0;

	if (has == NULL) {
		error_set_memory(error);
		return 0;
	}
	for (uint32_t i = model->starts[f->rank]; i < model->starts[f->end]; i++) {
		uint32_t content = model->files[model->in_tree[i]].content;
		has[content / 8] = (uint8_t)(has[content / 8] | 1 << content % 8);
	}
	for (uint32_t content = 0; content < model->content_count; content++)
		if (has[content / 8] >> content % 8 & 1)
			list[count++] = content;
	free(has);
	return count;
}

uint32_t review_find_file(const struct review_model *model, const char *path, int64_t size_bytes,
			  const uint8_t hash[KEEP_HASH_SIZE])
{
	const struct content_key key = {model->contents, size_bytes, hash};
	uint32_t folder = review_find_folder(model, path_above(bytes_of(path)));
	uint32_t content =
		slots_number(&model->content_slots, hash_seeded_bytes(hash), is_content, &key) - 1;
	uint32_t low, high;

	if (folder == REVIEW_NONE || content == REVIEW_NONE)
		return REVIEW_NONE;
	low = model->contents[content].first;
	high = low + model->contents[content].count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		uint32_t rank = model->folders[model->files[middle].folder].rank;
		uint32_t wanted = model->folders[folder].rank;
		int order = rank != wanted
				    ? (rank > wanted) - (rank < wanted)
				    : strcmp(review_file_name(model, middle), path_name(path));
		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return REVIEW_NONE;
}

void review_describe(const struct review_model *model, uint32_t file, struct keep_file *described)
{
	const struct review_file *f = &model->files[file];
	const struct review_content *content = &model->contents[f->content];

	*described = (struct keep_file){.size_bytes = content->size_bytes,
					.mtime_ns = f->mtime_ns,
					.decision = f->mark == MARK_REMOVE ? DECIDED_GIVE_UP
						    : f->mark == MARK_KEEP ? DECIDED_KEEP
									   : DECIDED_BY_RULES};
	memcpy(described->hash, content->hash, KEEP_HASH_SIZE);
}

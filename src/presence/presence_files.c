/*
 * Stores files, contents and folders in hash tables, and sorts the files that are listed.
 * SPDX-License-Identifier: MIT
 */
#include "presence/presence_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/basic/sizes.h"
#include "base/data/array.h"
#include "base/files/path.h"
#include "base/sort/sort.h"

void held_files_release(struct held_files *held)
{
	damaged_files_release(&held->damaged);
	free(held->contents);
	slots_release(&held->content_slots);
	free(held->folders);
	slots_release(&held->folder_slots);
	free(held->files);
	slots_release(&held->file_slots);
	free(held->relatives);
	free(held->tops);
	pair_set_release(&held->walked);
	pair_set_release(&held->inodes);
	pair_set_release(&held->times);
	free(held->path);
}

static char *keep_text(struct held_files *held, struct bytes text)
{
	char *kept = arena_take(&held->found->arena, text.size + 1);

	if (kept == NULL)
		return NULL;
	if (text.size > 0)
		memcpy(kept, text.data, text.size);
	kept[text.size] = '\0';
	return kept;
}

/* ---- Contents ---- */

struct content_key {
	const struct held_files *held;
	int64_t size_bytes;
	const uint8_t *hash;
};

static bool is_content(const void *key, uint32_t number)
{
	const struct content_key *wanted = key;
	const struct held_content *content = &wanted->held->contents[number - 1];

	return content->size_bytes == wanted->size_bytes &&
	       memcmp(content->hash, wanted->hash, CONTENT_HASH_SIZE) == 0;
}

uint32_t held_content_find(const struct held_files *held, int64_t size_bytes,
			   const uint8_t hash[CONTENT_HASH_SIZE])
{
	return slots_number(&held->content_slots, hash_seeded_bytes(hash), is_content,
			    &(struct content_key){held, size_bytes, hash});
}

uint32_t held_content_add(struct held_files *held, int64_t size_bytes,
			  const uint8_t hash[CONTENT_HASH_SIZE], struct simhash_error *error)
{
	struct content_key key = {held, size_bytes, hash};
	uint64_t hashed = hash_seeded_bytes(hash);
	struct held_content *content;
	struct slot *slot;

	if (slots_reserve(&held->content_slots, error) != 0)
		return 0;
	slot = slots_find(&held->content_slots, hashed, is_content, &key);
	if (slot->number != NO_ITEM)
		return slot->number;
	if (array_reserve(&held->contents, &held->content_capacity, held->content_count + 1,
			  sizeof *held->contents, error) != 0)
		return 0;
	content = &held->contents[held->content_count];
	*content = (struct held_content){.size_bytes = size_bytes, .state = CONTENT_MISSING};
	memcpy(content->hash, hash, CONTENT_HASH_SIZE);
	slots_add(&held->content_slots, slot, hashed, (uint32_t)++held->content_count);
	return slot->number;
}

/* ---- Folders ---- */

struct folder_key {
	const struct held_files *held;
	int64_t host;
	struct bytes path;
};

static bool is_folder(const void *key, uint32_t number)
{
	const struct folder_key *wanted = key;
	const struct held_folder *folder = &wanted->held->folders[number - 1];

	return folder->host == wanted->host && bytes_compare(folder->path, wanted->path) == 0;
}

/* Find or add one folder; *is_new is set if it was added. */
static uint32_t add_folder(struct held_files *held, int64_t host, struct bytes path, bool *is_new,
			   struct simhash_error *error)
{
	struct folder_key key = {held, host, path};
	uint8_t hash[DIRECTORY_HASH_SIZE];
	uint64_t hashed;
	struct slot *slot;
	char *kept;

	*is_new = false;
	directory_hash(path, hash);
	memcpy(&hashed, hash, sizeof hashed);
	hashed = hash_seeded(hashed, (uint64_t)host);
	if (slots_reserve(&held->folder_slots, error) != 0 ||
	    array_reserve(&held->folders, &held->folder_capacity, held->folder_count + 1,
			  sizeof *held->folders, error) != 0)
		return 0;
	slot = slots_find(&held->folder_slots, hashed, is_folder, &key);
	if (slot->number != NO_ITEM)
		return slot->number;
	kept = keep_text(held, path);
	if (kept == NULL) {
		error_set_memory(error);
		return 0;
	}
	*is_new = true;
	held->folders[held->folder_count] =
		(struct held_folder){.path = {kept, path.size}, .host = host};
	slots_add(&held->folder_slots, slot, hashed, (uint32_t)++held->folder_count);
	return slot->number;
}

uint32_t held_folder_add(struct held_files *held, int64_t host, struct bytes path, struct bytes top,
			 struct simhash_error *error)
{
	bool is_new;
	uint32_t first = add_folder(held, host, path, &is_new, error), number = first;

	while (number != 0 && is_new && path.size > top.size) {
		uint32_t above;
		path = path_above(path);
		/* The directory of members, "/a/b.zip/", is the archive "/a/b.zip". */
		while (path.size > top.size && path.data[path.size - 1] == '/')
			path.size--;
		above = add_folder(held, host, path, &is_new, error);
		held->folders[number - 1].parent = above;
		number = above;
	}
	return number == 0 ? 0 : first;
}

/* ---- Files ---- */

struct held_file *held_file_add(struct held_files *held, uint32_t folder, struct bytes name,
				uint32_t content, struct simhash_error *error)
{
	const char *kept = keep_text(held, name);
	struct held_file *file;

	if (held->count == UINT32_MAX - 1) {
		error_set(error, SIMHASH_E_RANGE, "more than 4,294,967,294 files");
		return NULL;
	}
	if (kept == NULL) {
		error_set_memory(error);
		return NULL;
	}
	if (array_reserve(&held->files, &held->capacity, held->count + 1, sizeof *held->files,
			  error) != 0)
		return NULL;
	file = &held->files[held->count++];
	*file = (struct held_file){.name = kept,
				   .name_size = (uint32_t)name.size,
				   .folder = folder,
				   .content = content,
				   .state = CONTENT_MISSING};
	if (content > 0) {
		file->next = held->contents[content - 1].first_file;
		held->contents[content - 1].first_file = (uint32_t)held->count;
	}
	return file;
}

struct file_key {
	const struct held_files *held;
	int64_t host;
	const uint8_t *path_hash;
};

static uint64_t hash_file(const struct file_key *key)
{
	return hash_seeded(hash_seeded_bytes(key->path_hash), (uint64_t)key->host);
}

static bool is_file(const void *key, uint32_t number)
{
	const struct file_key *wanted = key;
	const struct held_file *file = &wanted->held->files[number - 1];

	return wanted->held->folders[file->folder - 1].host == wanted->host &&
	       memcmp(file->path_hash, wanted->path_hash, PATH_HASH_SIZE) == 0;
}

int held_file_enter(struct held_files *held, const uint8_t path_hash[PATH_HASH_SIZE],
		    struct simhash_error *error)
{
	struct held_file *file = &held->files[held->count - 1];
	const struct file_key key = {held, held->folders[file->folder - 1].host, path_hash};
	uint64_t hashed = hash_file(&key);
	struct slot *slot;

	memcpy(file->path_hash, path_hash, PATH_HASH_SIZE);
	if (slots_reserve(&held->file_slots, error) != 0)
		return -1;
	slot = slots_find(&held->file_slots, hashed, is_file, &key);
	if (slot->number == NO_ITEM)
		slots_add(&held->file_slots, slot, hashed, (uint32_t)held->count);
	return 0;
}

struct held_file *held_file_find(const struct held_files *held, int64_t host,
				 const uint8_t path_hash[PATH_HASH_SIZE])
{
	const struct file_key key = {held, host, path_hash};
	uint32_t number = slots_number(&held->file_slots, hash_file(&key), is_file, &key);

	return number == NO_ITEM ? NULL : &held->files[number - 1];
}

void held_count(struct held_files *held, uint32_t folder, bool is_listed)
{
	for (; folder != 0; folder = held->folders[folder - 1].parent) {
		held->folders[folder - 1].files++;
		held->folders[folder - 1].listed += is_listed;
	}
}

/* ---- Items ---- */

int held_show(struct held_files *held, int64_t host, struct bytes directory, struct bytes name,
	      struct bytes *display, size_t *path_offset, struct simhash_error *error)
{
	const struct finder *finder = held->finder;
	const struct name *known =
		host == finder->local_host ? NULL : name_list_find(&finder->hosts, host);
	size_t before = known == NULL ? 0 : known->text.size + 1;
	size_t slash = name.size > 0 &&
		       (directory.size == 0 || directory.data[directory.size - 1] != '/' ||
			is_inside_directory(directory));
	size_t size = before + directory.size + slash + name.size;
	char *text = arena_take(&held->found->arena, size + 1), *write = text;

	if (text == NULL)
		return error_set_memory(error);
	if (known != NULL) {
		memcpy(write, known->text.data, known->text.size);
		write[known->text.size] = ':';
	}
	write += before;
	memcpy(write, directory.data, directory.size);
	write += directory.size;
	if (slash > 0)
		*write++ = '/';
	memcpy(write, name.data, name.size);
	write[name.size] = '\0';
	*display = (struct bytes){text, size};
	*path_offset = before;
	return 0;
}

/*
 * The innermost of the folders with the most files, at least two, that are all listed; or 0.
 */
static uint32_t whole_folder(const struct held_files *held, uint32_t folder)
{
	uint32_t whole = 0;

	for (; folder != 0; folder = held->folders[folder - 1].parent) {
		const struct held_folder *at = &held->folders[folder - 1];
		if (at->files != at->listed)
			break;
		if (at->files > (whole == 0 ? 1 : held->folders[whole - 1].files))
			whole = folder;
	}
	return whole;
}

static void describe_content(const struct held_files *held, const struct held_content *content,
			     struct presence_item *item)
{
	item->copies = content->systems;
	if (content->relative == 0 || item->state != CONTENT_MISSING)
		return;
	item->relative = held->relatives[content->relative - 1].display;
	item->relation = held->relatives[content->relative - 1].relation;
}

static int add_item(struct held_files *held, const struct held_file *file,
		    struct simhash_error *error)
{
	struct presence *found = held->found;
	const struct held_folder *folder = &held->folders[file->folder - 1];
	uint32_t whole = whole_folder(held, file->folder);
	struct presence_item *item;

	if (array_reserve(&found->items, &found->capacity, found->count + 1, sizeof *found->items,
			  error) != 0)
		return -1;
	item = &found->items[found->count++];
	*item = (struct presence_item){.state = file->state,
				       .size_bytes = file->size_bytes,
				       .mtime_ns = file->mtime_ns,
				       .why = file->why};
	if (file->content > 0)
		describe_content(held, &held->contents[file->content - 1], item);
	if (held_show(held, folder->host, folder->path, (struct bytes){file->name, file->name_size},
		      &item->display, &item->path_offset, error) != 0)
		return -1;
	if (whole > 0)
		item->folder_size = item->path_offset + held->folders[whole - 1].path.size;
	return 0;
}

static int compare_items(const void *x, const void *y, void *context)
{
	const struct presence_item *a = x, *b = y;
	int order = bytes_compare((struct bytes){a->display.data, a->path_offset},
				  (struct bytes){b->display.data, b->path_offset});

	(void)context;
	return order != 0 ? order
			  : path_compare(bytes_after(a->display, a->path_offset),
					 bytes_after(b->display, b->path_offset));
}

int held_settle(struct held_files *held, lists_file_fn *lists, struct simhash_error *error)
{
	struct presence *found = held->found;

	for (size_t i = 0; i < held->count; i++) {
		struct held_file *file = &held->files[i];
		bool is_listed;
		if (file->state == CONTENT_MISSING && file->content > 0)
			file->state = held->contents[file->content - 1].state;
		is_listed = lists(held, file);
		if (!file->is_met)
			continue;
		found->files[file->state]++;
		add_size(&found->bytes[file->state], file->size_bytes);
		held_count(held, file->folder, is_listed && file->state != CONTENT_UNREADABLE);
	}
	for (size_t i = 0; i < held->count; i++)
		if (held->files[i].is_met && lists(held, &held->files[i]) &&
		    add_item(held, &held->files[i], error) != 0)
			return -1;
	sort_with(found->items, found->count, sizeof *found->items, compare_items, NULL);
	return 0;
}

/*
 * Numbers contents, and lists the contents of each folder and the folders of each content.
 * SPDX-License-Identifier: MIT
 */
#include "find/folders/folder_contents.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"

/* ---- Numbers ---- */

/* The content that is searched for. */
struct content_key {
	const struct folder_tree *tree;
	int64_t size_bytes;
	const uint8_t *hash;
};

static bool is_content(const void *key, uint32_t number)
{
	const struct content_key *wanted = key;
	const struct folder_content *content = &wanted->tree->contents[number - 1];

	return content->size_bytes == wanted->size_bytes &&
	       memcmp(content->hash, wanted->hash, CONTENT_HASH_SIZE) == 0;
}

static uint64_t hash_of(const struct content_key *key)
{
	return hash_seeded(hash_seeded_bytes(key->hash), (uint64_t)key->size_bytes);
}

int content_number(struct folder_tree *tree, int64_t size_bytes,
		   const uint8_t hash[CONTENT_HASH_SIZE], uint32_t *number,
		   struct simhash_error *error)
{
	const struct content_key key = {tree, size_bytes, hash};
	struct slot *slot;

	if (slots_reserve(&tree->slots, error) != 0)
		return -1;
	slot = slots_find(&tree->slots, hash_of(&key), is_content, &key);
	if (slot->number == NO_ITEM) {
		struct folder_content *content;
		if (array_reserve(&tree->contents, &tree->content_capacity, tree->content_count + 1,
				  sizeof *tree->contents, error) != 0)
			return -1;
		content = &tree->contents[tree->content_count++];
		content->size_bytes = size_bytes;
		memcpy(content->hash, hash, CONTENT_HASH_SIZE);
		slots_add(&tree->slots, slot, hash_of(&key), (uint32_t)tree->content_count);
	}
	*number = slot->number - 1;
	return 0;
}

uint32_t folder_tree_content(const struct folder_tree *tree, int64_t size_bytes,
			     const uint8_t hash[CONTENT_HASH_SIZE])
{
	const struct content_key key = {tree, size_bytes, hash};
	uint32_t number = slots_number(&tree->slots, hash_of(&key), is_content, &key);

	return number == NO_ITEM ? NO_CONTENT : number - 1;
}

/* ---- Files in folders ---- */

static int compare_files(const void *a, const void *b)
{
	const struct held_file *x = a, *y = b;

	if (x->folder != y->folder)
		return x->folder < y->folder ? -1 : 1;
	return (x->content > y->content) - (x->content < y->content);
}

static void sum_up(struct folder_tree *tree)
{
	for (size_t i = tree->count; i-- > 0;) {
		const struct folder *folder = &tree->folders[i];
		struct folder *parent;
		if (folder->parent == NO_FOLDER)
			continue;
		parent = &tree->folders[folder->parent];
		parent->bytes = add_bytes(parent->bytes, folder->bytes, 1);
		parent->files += folder->files;
	}
}

int hold_files(struct folder_tree *tree, struct held_file *files, size_t count,
	       struct simhash_error *error)
{
	size_t held = 0;

	tree->files = count;
	tree->held = malloc((count + 1) * sizeof *tree->held);
	tree->held_first = calloc(tree->count + 1, sizeof *tree->held_first);
	if (tree->held == NULL || tree->held_first == NULL)
		return error_set_memory(error);
	if (count > 1)
		qsort(files, count, sizeof *files, compare_files);
	for (size_t i = 0; i < count; i++) {
		struct folder *folder = &tree->folders[files[i].folder];
		bool is_new = i == 0 || compare_files(&files[i - 1], &files[i]) != 0;
		if (is_new) {
			tree->held[held++] = (struct held_content){.content = files[i].content};
			tree->held_first[files[i].folder + 1]++;
		}
		tree->held[held - 1].files++;
		folder->files++;
		folder->bytes =
			add_bytes(folder->bytes, tree->contents[files[i].content].size_bytes, 1);
	}
	for (size_t i = 0; i < tree->count; i++)
		tree->held_first[i + 1] += tree->held_first[i];
	sum_up(tree);
	return 0;
}

/* ---- Names of one file ---- */

static int compare_names(const void *a, const void *b)
{
	const struct linked_name *x = a, *y = b;

	if (x->identity != y->identity)
		return x->identity < y->identity ? -1 : 1;
	/* Another disk may have had the same device number. */
	if (x->content != y->content)
		return x->content < y->content ? -1 : 1;
	return (x->folder > y->folder) - (x->folder < y->folder);
}

static int compare_name_folders(const void *a, const void *b)
{
	const struct linked_name *x = a, *y = b;

	if (x->folder != y->folder)
		return x->folder < y->folder ? -1 : 1;
	return (x->file > y->file) - (x->file < y->file);
}

static bool are_names_of_one(const struct linked_name *x, const struct linked_name *y)
{
	return x->identity == y->identity && x->content == y->content;
}

/* Collect the names of files that have several names, sorted by folder. */
void count_names(struct folder_tree *tree)
{
	struct linked_name *links = tree->links;
	size_t end, kept = 0;

	if (tree->link_count == 0)
		return;
	qsort(links, tree->link_count, sizeof *links, compare_names);
	for (size_t first = 0; first < tree->link_count; first = end) {
		uint32_t hard_links = 0, names;
		for (end = first;
		     end < tree->link_count && are_names_of_one(&links[first], &links[end]); end++)
			if (links[end].hard_links > hard_links)
				hard_links = links[end].hard_links;
		names = (uint32_t)(end - first);
		for (size_t i = first; (names > 1 || hard_links > 1) && i < end; i++) {
			links[kept] = links[i];
			links[kept].file = (uint32_t)first;
			links[kept++].hard_links = hard_links > 0 ? hard_links : names;
		}
	}
	tree->link_count = kept;
	if (kept > 0)
		qsort(links, kept, sizeof *links, compare_name_folders);
}

/* ---- Places ---- */

static void count_places(const struct folder_tree *tree, size_t *counts)
{
	for (size_t h = 0; h < tree->held_first[tree->count]; h++)
		counts[tree->held[h].content]++;
}

/*
 * Keep only contents that two folders may share: contents in several places, or similar to another
 * content.
 */
static void drop_unique(struct folder_tree *tree, const size_t *folders_of)
{
	size_t kept = 0, first = 0;

	for (size_t i = 0; i < tree->count; i++) {
		size_t end = tree->held_first[i + 1];
		for (size_t h = first; h < end; h++) {
			uint32_t content = tree->held[h].content;
			if (folders_of[content] > 1 ||
			    tree->alike_first[content + 1] > tree->alike_first[content])
				tree->held[kept++] = tree->held[h];
		}
		first = end;
		tree->held_first[i + 1] = kept;
	}
}

/* Sorted by folder, because the folders are visited in this order. */
static int make_places(struct folder_tree *tree, struct simhash_error *error)
{
	size_t count = tree->held_first[tree->count];
	uint32_t before = 0;

	tree->places = malloc((count + 1) * sizeof *tree->places);
	if (tree->places == NULL)
		return error_set_memory(error);
	memset(tree->place_first, 0, (tree->content_count + 1) * sizeof *tree->place_first);
	count_places(tree, tree->place_first);
	for (size_t c = 0, sum = 0; c <= tree->content_count; c++) {
		size_t own = tree->place_first[c];
		tree->place_first[c] = sum;
		sum += own;
	}
	for (uint32_t i = 0; i < tree->count; i++)
		for (size_t h = tree->held_first[i]; h < tree->held_first[i + 1]; h++)
			tree->places[tree->place_first[tree->held[h].content]++] =
				(struct content_place){i, tree->held[h].files};
	/* Each entry has moved to the beginning of the next one. */
	memmove(tree->place_first + 1, tree->place_first,
		tree->content_count * sizeof *tree->place_first);
	tree->place_first[0] = 0;
	for (size_t p = 0; p < count; p++) {
		uint32_t files = tree->places[p].files_before;
		tree->places[p].files_before = before;
		before += files;
	}
	tree->places[count] = (struct content_place){NO_FOLDER, before};
	return 0;
}

int folder_tree_settle(struct folder_tree *tree, struct simhash_error *error)
{
	tree->place_first = calloc(tree->content_count + 1, sizeof *tree->place_first);
	if (tree->alike_first == NULL)
		tree->alike_first = calloc(tree->content_count + 1, sizeof *tree->alike_first);
	if (tree->place_first == NULL || tree->alike_first == NULL)
		return error_set_memory(error);
	count_places(tree, tree->place_first);
	drop_unique(tree, tree->place_first);
	return make_places(tree, error);
}

/*
 * Finds files that are part of a file of the other folder, or contain one: files without a
 * counterpart, and files whose counterpart has little in common with them.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/path.h"
#include "find/folders/folder_files.h"

/* The file of the other folder that has the largest part of a content, or is part of it. */
struct folder_part {
	struct bytes path;	  /* relative to the folder; empty: none */
	double part_of, contains; /* as in struct folder_file */
};

/* A file whose counterpart has another content. */
struct changed_pair {
	uint32_t contents[2];
	struct folder_file *file;
};

struct part_search {
	const struct folder_tree *tree;
	const struct find_side *sides;
	struct folder_comparison *comparison;
	int64_t hosts[2];
	/* For each content: 1 if a file of this side has it and no counterpart. */
	uint8_t *lone[2];
	struct folder_part *parts[2]; /* for each content; found for the lone ones */
	struct changed_pair *changed; /* sorted by contents */
	size_t changed_count;
	pthread_mutex_t lock;
};

static bool is_lone(const struct folder_file *file)
{
	uint32_t content = file->fate == FATE_ONLY_A ? file->content_a : file->content_b;

	return (file->fate == FATE_ONLY_A || file->fate == FATE_ONLY_B) && file->like.size == 0 &&
	       content != NO_CONTENT;
}

/* More in common says more about the pair than the share of a part. */
#define CHANGED_MAX 0.9

static bool is_changed(const struct folder_file *file)
{
	return file->fate == FATE_CHANGED && file->resemblance < CHANGED_MAX &&
	       file->content_a != NO_CONTENT && file->content_b != NO_CONTENT &&
	       file->size_a_bytes > 0 && file->size_b_bytes > 0;
}

static int compare_changed(const void *a, const void *b)
{
	const struct changed_pair *x = a, *y = b;

	if (x->contents[0] != y->contents[0])
		return x->contents[0] < y->contents[0] ? -1 : 1;
	return (x->contents[1] > y->contents[1]) - (x->contents[1] < y->contents[1]);
}

static uint8_t sides_of(const void *context, const struct file_row *row)
{
	const struct part_search *search = context;
	uint8_t sides = 0;

	for (int side = 0; side < 2; side++)
		if (row->host == search->hosts[side] &&
		    row_is_below(row->directory, row->name, search->sides[side].directory))
			sides |= (uint8_t)(side == 0 ? SIDE_A : SIDE_B);
	return sides;
}

/* Either file of a pair may be the lone one. */
static unsigned roles_of(const void *context, const uint8_t *content_hash, int64_t size_bytes)
{
	const struct part_search *search = context;

	return folder_tree_content(search->tree, size_bytes, content_hash) == NO_CONTENT
		       ? 0
		       : CONTENT_MAY_BE_PART | CONTENT_MAY_BE_WHOLE;
}

/* The path of a file relative to its folder, as the comparison writes it. */
static struct bytes relative_path(const struct part_search *search, int side,
				  const struct find_file *file)
{
	struct bytes path = {find_file_path(file), file->display_size - file->path_offset};
	struct bytes top = search->comparison->tops[side];
	size_t skip = search->sides[side].directory.size;

	if (path.size > skip + top.size && top.size > 0 &&
	    memcmp(path.data + skip, top.data, top.size) == 0)
		skip += top.size;
	while (skip < path.size && path.data[skip] == '/')
		skip++;
	return (struct bytes){path.data + skip, path.size - skip};
}

static int note_part(struct part_search *search, struct folder_part *part, struct bytes path,
		     double part_of, double contains, struct simhash_error *error)
{
	double share = part_of > contains ? part_of : contains;
	double known = part->part_of > part->contains ? part->part_of : part->contains;
	char *kept;

	if (part->path.size > 0 &&
	    (share < known || (share == known && bytes_compare(path, part->path) >= 0)))
		return 0;
	kept = arena_take(&search->comparison->paths, path.size + 1);
	if (kept == NULL)
		return error_set_memory(error);
	memcpy(kept, path.data, path.size);
	kept[path.size] = '\0';
	*part = (struct folder_part){{kept, path.size}, part_of, contains};
	return 0;
}

/* Note that the inner file of a pair is part of the other one, if both are counterparts. */
static void note_changed(struct part_search *search, const struct file_pair *pair, int inner,
			 double share)
{
	const struct find_file *files[2] = {pair->a, pair->b};
	uint32_t contents[2];

	for (int i = 0; i < 2; i++)
		contents[i] = folder_tree_content(search->tree, find_file_bytes(files[i]),
						  files[i]->content_hash);
	for (int a = 0; a < 2; a++) {
		const struct changed_pair key = {{contents[a], contents[1 - a]}, NULL};
		struct changed_pair *found, *end = search->changed + search->changed_count;
		if (search->changed_count == 0)
			return;
		found = bsearch(&key, search->changed, search->changed_count,
				sizeof *search->changed, compare_changed);
		while (found != NULL && found > search->changed &&
		       compare_changed(found - 1, &key) == 0)
			found--;
		for (; found != NULL && found < end && compare_changed(found, &key) == 0; found++)
			*(a == inner ? &found->file->part_of : &found->file->contains) = share;
	}
}

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct part_search *search = context;
	const struct find_file *files[2] = {pair->a, pair->b};
	double contained[2] = {pair->relation.contained_a, pair->relation.contained_b};
	bool is_part = contained[0] >= contained[1]; /* is the first file a part of the second? */
	int status = 0;

	(void)thread;
	pthread_mutex_lock(&search->lock);
	note_changed(search, pair, is_part ? 0 : 1, contained[is_part ? 0 : 1]);
	pthread_mutex_unlock(&search->lock);
	for (int i = 0; status == 0 && i < 2; i++) {
		const struct find_file *file = files[i], *other = files[1 - i];
		uint32_t content = folder_tree_content(search->tree, find_file_bytes(file),
						       file->content_hash);
		for (int side = 0; status == 0 && side < 2 && content != NO_CONTENT; side++) {
			int own = side == 0 ? SIDE_A : SIDE_B, others = side == 0 ? SIDE_B : SIDE_A;
			bool is_inner = (i == 0) == is_part;
			if (search->lone[side][content] == 0 || (file->sides & own) == 0 ||
			    (other->sides & others) == 0)
				continue;
			pthread_mutex_lock(&search->lock);
			status = note_part(search, &search->parts[side][content],
					   relative_path(search, 1 - side, other),
					   is_inner ? contained[i] : 0,
					   is_inner ? 0 : contained[1 - i], error);
			pthread_mutex_unlock(&search->lock);
		}
	}
	return status;
}

static int search_parts(struct part_search *search, const struct finder *finder,
			struct simhash_error *error)
{
	const struct find_sink sink = {.context = search, .pair = take_pair};
	struct find_request request = *finder->request;
	struct finder inner;
	int status;

	request.has_between = true;
	request.sides = sides_of;
	request.piece_roles = roles_of;
	request.sides_context = search;
	request.kinds = PAIRS_PARTS;
	request.folded = FOLD_NOTHING;
	if (finder_init(&inner, finder->store, &request, &sink, finder->resources, error) != 0)
		return -1;
	status = finder_all(&inner, error);
	finder_release(&inner);
	return status;
}

static void set_parts(struct part_search *search)
{
	for (size_t i = 0; i < search->comparison->count; i++) {
		struct folder_file *file = &search->comparison->files[i];
		int side = file->fate == FATE_ONLY_A ? 0 : 1;
		const struct folder_part *part;
		if (!is_lone(file))
			continue;
		part = &search->parts[side][side == 0 ? file->content_a : file->content_b];
		file->like = part->path;
		file->part_of = part->part_of;
		file->contains = part->contains;
	}
}

int folder_parts_find(struct finder *finder, const struct folder_tree *tree,
		      const struct find_side sides[2], struct folder_comparison *comparison,
		      struct simhash_error *error)
{
	struct part_search search = {.tree = tree,
				     .sides = sides,
				     .comparison = comparison,
				     .lock = PTHREAD_MUTEX_INITIALIZER};
	bool has_files = false;
	int status = 0;

	search.changed = malloc((comparison->count + 1) * sizeof *search.changed);
	if (search.changed == NULL)
		return error_set_memory(error);

	for (int side = 0; side < 2; side++) {
		search.hosts[side] = sides[side].host == NULL
					     ? finder->local_host
					     : name_list_id(&finder->hosts, sides[side].host);
		search.lone[side] = calloc(tree->content_count + 1, 1);
		search.parts[side] = calloc(tree->content_count + 1, sizeof *search.parts[side]);
		if (search.lone[side] == NULL || search.parts[side] == NULL)
			status = error_set_memory(error);
	}
	for (size_t i = 0; status == 0 && i < comparison->count; i++) {
		struct folder_file *file = &comparison->files[i];
		int side = file->fate == FATE_ONLY_A ? 0 : 1;
		if (is_changed(file))
			search.changed[search.changed_count++] =
				(struct changed_pair){{file->content_a, file->content_b}, file};
		else if (is_lone(file))
			search.lone[side][side == 0 ? file->content_a : file->content_b] = 1;
		has_files = has_files || is_changed(file) || is_lone(file);
	}
	if (search.changed_count > 1)
		qsort(search.changed, search.changed_count, sizeof *search.changed,
		      compare_changed);
	if (status == 0 && has_files)
		status = search_parts(&search, finder, error);
	if (status == 0 && has_files)
		set_parts(&search);
	free(search.changed);
	for (int side = 0; side < 2; side++) {
		free(search.lone[side]);
		free(search.parts[side]);
	}
	return status;
}

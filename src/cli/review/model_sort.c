/*
 * Sorts the files of a review, joins the names of one inode, and adds up the space that each folder
 * can free.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/sort/sort.h"
#include "cli/review/model.h"

static void *room_for(size_t count, size_t size, struct simhash_error *error)
{
	void *room = calloc(count + 1, size);

	if (room == NULL)
		error_set_memory(error);
	return room;
}

/* ---- Folders ---- */

/* In the order of paths: a parent comes before its children, which are sorted by name. */
static int compare_names(const void *a, const void *b, void *context)
{
	const struct review_model *model = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct review_folder *f = &model->folders[x], *g = &model->folders[y];

	if (f->parent != g->parent)
		return f->parent < g->parent ? -1 : 1;
	return bytes_compare(review_folder_name(model, x), review_folder_name(model, y));
}

/* Link the children of each folder in the order of `sorted`, whose siblings are together. */
static void link_children(struct review_model *model, const uint32_t *sorted)
{
	for (size_t i = 0; i < model->folder_count; i++)
		model->folders[i].first_child = model->folders[i].next_sibling = REVIEW_NONE;
	for (size_t i = model->folder_count; i-- > 0;) {
		struct review_folder *folder = &model->folders[sorted[i]];
		if (sorted[i] == 0)
			continue;
		folder->next_sibling = model->folders[folder->parent].first_child;
		model->folders[folder->parent].first_child = sorted[i];
	}
}

/* Number the folders so that each subtree is a range. */
static void rank_folders(struct review_model *model)
{
	uint32_t at = 0, rank = 0;

	for (;;) {
		struct review_folder *folder = &model->folders[at];
		folder->rank = rank;
		model->by_rank[rank++] = at;
		if (folder->first_child != REVIEW_NONE) {
			at = folder->first_child;
			continue;
		}
		while (at != 0 && model->folders[at].next_sibling == REVIEW_NONE) {
			model->folders[at].end = rank;
			at = model->folders[at].parent;
		}
		model->folders[at].end = rank;
		if (at == 0)
			return;
		at = model->folders[at].next_sibling;
	}
}

static int compare_frees(const void *a, const void *b, void *context)
{
	const struct review_model *model = context;
	const struct review_folder *f = &model->folders[*(const uint32_t *)a];
	const struct review_folder *g = &model->folders[*(const uint32_t *)b];

	if (f->parent != g->parent)
		return f->parent < g->parent ? -1 : 1;
	if (f->frees_bytes != g->frees_bytes)
		return f->frees_bytes > g->frees_bytes ? -1 : 1;
	return (f->rank > g->rank) - (f->rank < g->rank);
}

static int sort_folders(struct review_model *model, sort_compare_fn *compare,
			struct simhash_error *error)
{
	uint32_t *sorted = room_for(model->folder_count, sizeof *sorted, error);

	if (sorted == NULL)
		return -1;
	for (size_t i = 0; i < model->folder_count; i++)
		sorted[i] = (uint32_t)i;
	sort_with(sorted, model->folder_count, sizeof *sorted, compare, model);
	link_children(model, sorted);
	free(sorted);
	return 0;
}

/* ---- Files and contents ---- */

static int compare_inodes(const void *a, const void *b, void *context)
{
	const struct review_model *model = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct review_inode *i = &model->inodes[x], *j = &model->inodes[y];

	if (model->files[x].content != model->files[y].content)
		return model->files[x].content < model->files[y].content ? -1 : 1;
	if (i->inode != j->inode)
		return i->inode < j->inode ? -1 : 1;
	if (i->device != j->device)
		return i->device < j->device ? -1 : 1;
	return (x > y) - (x < y);
}

static bool are_links(const struct review_model *model, uint32_t x, uint32_t y)
{
	const struct review_inode *i = &model->inodes[x], *j = &model->inodes[y];

	return model->files[x].content == model->files[y].content && i->inode != 0 &&
	       i->inode == j->inode && i->device == j->device;
}

/*
 * Close the rings of names, given all files by content and inode, and count the inodes that each
 * content can lose.
 */
static void join_links(struct review_model *model, const uint32_t *sorted)
{
	for (size_t i = 0, end; i < model->count; i = end) {
		struct review_content *content = &model->contents[model->files[sorted[i]].content];
		bool is_locked = model->files[sorted[i]].is_locked;
		for (end = i + 1; end < model->count && are_links(model, sorted[i], sorted[end]);
		     end++) {
			model->files[sorted[end - 1]].next_link = sorted[end];
			is_locked = is_locked || model->files[sorted[end]].is_locked;
		}
		model->files[sorted[end - 1]].next_link = sorted[i];
		content->count += (uint32_t)(end - i);
		/* `staying` counts the inodes that are locked, until the content is settled. */
		content->staying += is_locked;
		content->removable += !is_locked;
	}
}

static void settle_contents(struct review_model *model)
{
	for (size_t i = 0; i < model->content_count; i++) {
		struct review_content *content = &model->contents[i];
		if (content->staying == 0 && content->removable > 0)
			content->removable--;
		content->staying = content->count;
	}
}

static int64_t frees(const struct review_content *content)
{
	return content->size_bytes * content->removable;
}

static int compare_contents(const void *a, const void *b, void *context)
{
	const struct review_model *model = context;
	const struct review_content *x = &model->contents[*(const uint32_t *)a];
	const struct review_content *y = &model->contents[*(const uint32_t *)b];

	if (frees(x) != frees(y))
		return frees(x) > frees(y) ? -1 : 1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes > y->size_bytes ? -1 : 1;
	return memcmp(x->hash, y->hash, KEEP_HASH_SIZE);
}

/* Put the contents that free space into their order. Files get the new numbers, or REVIEW_NONE. */
static int order_contents(struct review_model *model, struct simhash_error *error)
{
	size_t count = model->content_count, kept = 0;
	uint32_t *sorted = room_for(count, sizeof *sorted, error);
	uint32_t *numbers = room_for(count, sizeof *numbers, error);
	struct review_content *ordered = room_for(count, sizeof *ordered, error);
	int status = -1;

	if (sorted == NULL || numbers == NULL || ordered == NULL)
		goto out;
	for (size_t i = 0; i < count; i++)
		sorted[i] = (uint32_t)i;
	sort_with(sorted, count, sizeof *sorted, compare_contents, model);
	for (size_t i = 0; i < count; i++) {
		bool is_kept = model->contents[sorted[i]].removable > 0;
		numbers[sorted[i]] = is_kept ? (uint32_t)kept : REVIEW_NONE;
		if (is_kept)
			ordered[kept++] = model->contents[sorted[i]];
	}
	for (size_t i = 0; i < model->count; i++)
		model->files[i].content = numbers[model->files[i].content];
	free(model->contents);
	model->contents = ordered;
	ordered = NULL;
	model->content_count = model->content_capacity = kept;
	slots_clear(&model->content_slots, 0);
	status = 0;
	for (size_t i = 0; status == 0 && i < kept; i++)
		status = review_note_content(model, hash_seeded_bytes(model->contents[i].hash),
					     (uint32_t)i, error);
out:
	free(sorted);
	free(numbers);
	free(ordered);
	return status;
}

static int compare_files(const void *a, const void *b, void *context)
{
	const struct review_model *model = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct review_file *f = &model->files[x], *g = &model->files[y];

	if (f->content != g->content)
		return f->content < g->content ? -1 : 1;
	if (f->folder != g->folder)
		return model->folders[f->folder].rank < model->folders[g->folder].rank ? -1 : 1;
	return strcmp(model->names + f->name, model->names + g->name);
}

/* Put the files into the order of their contents, without the contents that free nothing. */
static int order_files(struct review_model *model, uint32_t *sorted, struct simhash_error *error)
{
	uint32_t *numbers = room_for(model->count, sizeof *numbers, error);
	struct review_file *ordered = NULL;
	size_t kept = 0;

	if (numbers == NULL)
		return -1;
	sort_with(sorted, model->count, sizeof *sorted, compare_files, model);
	while (kept < model->count && model->files[sorted[kept]].content != REVIEW_NONE)
		kept++;
	ordered = room_for(kept, sizeof *ordered, error);
	if (ordered == NULL) {
		free(numbers);
		return -1;
	}
	for (size_t i = 0; i < kept; i++)
		numbers[sorted[i]] = (uint32_t)i;
	for (size_t i = 0; i < kept; i++) {
		ordered[i] = model->files[sorted[i]];
		ordered[i].next_link = numbers[ordered[i].next_link];
	}
	for (size_t i = kept; i-- > 0;)
		model->contents[ordered[i].content].first = (uint32_t)i;
	free(numbers);
	free(model->files);
	model->files = ordered;
	model->count = model->file_capacity = kept;
	return 0;
}

static int sort_files(struct review_model *model, struct simhash_error *error)
{
	uint32_t *sorted = room_for(model->count, sizeof *sorted, error);
	int status;

	if (sorted == NULL)
		return -1;
	for (size_t i = 0; i < model->count; i++)
		sorted[i] = (uint32_t)i;
	sort_with(sorted, model->count, sizeof *sorted, compare_inodes, model);
	join_links(model, sorted);
	settle_contents(model);
	status = order_contents(model, error);
	if (status == 0)
		status = order_files(model, sorted, error);
	free(sorted);
	free(model->inodes);
	model->inodes = NULL;
	return status;
}

static int place_files(struct review_model *model, struct simhash_error *error)
{
	model->starts = room_for(model->folder_count + 1, sizeof *model->starts, error);
	model->in_tree = room_for(model->count, sizeof *model->in_tree, error);
	if (model->starts == NULL || model->in_tree == NULL)
		return -1;
	for (size_t i = 0; i < model->count; i++)
		model->starts[model->folders[model->files[i].folder].rank + 1]++;
	for (size_t i = 0; i < model->folder_count; i++)
		model->starts[i + 1] += model->starts[i];
	for (size_t i = model->count; i-- > 0;) {
		uint32_t rank = model->folders[model->files[i].folder].rank;
		model->in_tree[--model->starts[rank + 1]] = (uint32_t)i;
	}
	/* The start of each rank is now one place too far. */
	memmove(model->starts, model->starts + 1, model->folder_count * sizeof *model->starts);
	model->starts[model->folder_count] = (uint32_t)model->count;
	return 0;
}

/* ---- Sums ---- */

/* The folder that has all names of an inode; false if one of them is locked. */
static bool find_place(const struct review_model *model, uint32_t file, uint32_t *folder)
{
	bool is_locked = model->files[file].is_locked;

	*folder = model->files[file].folder;
	for (uint32_t i = model->files[file].next_link; i != file; i = model->files[i].next_link) {
		*folder = review_common_folder(model, *folder, model->files[i].folder);
		is_locked = is_locked || model->files[i].is_locked;
	}
	return !is_locked;
}

static bool is_first_name(const struct review_model *model, uint32_t file)
{
	for (uint32_t i = model->files[file].next_link; i != file; i = model->files[i].next_link)
		if (i < file)
			return false;
	return true;
}

/*
 * A folder can free all inodes whose names are all in it, but one of them stays if the folder has
 * all files of the content.
 */
static void add_content_sums(struct review_model *model, const struct review_content *content)
{
	uint32_t all = model->files[content->first].folder, place;
	bool has_locked = false;

	for (uint32_t i = content->first; i < content->first + content->count; i++) {
		all = review_common_folder(model, all, model->files[i].folder);
		if (!is_first_name(model, i))
			continue;
		if (find_place(model, i, &place))
			model->folders[place].frees_bytes += content->size_bytes;
		else
			has_locked = true;
	}
	if (!has_locked)
		model->folders[all].frees_bytes -= content->size_bytes;
}

static void add_sums(struct review_model *model)
{
	for (size_t i = 0; i < model->content_count; i++)
		add_content_sums(model, &model->contents[i]);
	for (size_t rank = model->folder_count; rank-- > 1;) {
		const struct review_folder *folder = &model->folders[model->by_rank[rank]];
		model->folders[folder->parent].frees_bytes += folder->frees_bytes;
	}
	for (size_t i = 0; i < model->folder_count; i++) {
		struct review_folder *folder = &model->folders[i];
		folder->files = model->starts[folder->end] - model->starts[folder->rank];
	}
}

/* Find the deepest folder with all files. */
static void find_top(struct review_model *model)
{
	uint32_t child;

	do {
		child = model->folders[model->top].first_child;
		while (child != REVIEW_NONE && model->folders[child].files < model->count)
			child = model->folders[child].next_sibling;
		if (child != REVIEW_NONE)
			model->top = child;
	} while (child != REVIEW_NONE && model->count > 0);
	model->folders[model->top].is_open = true;
}

int review_finish(struct review_model *model, struct simhash_error *error)
{
	const struct keep_file none = {.path = "/", .size_bytes = 1};

	/* There is always a root directory; a content with one file frees nothing. */
	if (model->folder_count == 0 && review_add(model, &none, true, error) != 0)
		return -1;
	model->by_rank = room_for(model->folder_count, sizeof *model->by_rank, error);
	if (model->by_rank == NULL || sort_folders(model, compare_names, error) != 0)
		return -1;
	rank_folders(model);
	if (sort_files(model, error) != 0 || place_files(model, error) != 0)
		return -1;
	add_sums(model);
	if (sort_folders(model, compare_frees, error) != 0)
		return -1;
	find_top(model);
	return 0;
}

/*
 * Finds folders in the tree by their paths, and sorts them.
 * SPDX-License-Identifier: MIT
 */
#include "find/folders/folder_tree.h"

#include <stdlib.h>

#include "base/files/path.h"
#include "find/rule/finder.h"

int folder_compare_archives(const struct folder *x, const struct folder *y)
{
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return bytes_compare((struct bytes){x->path.data, x->archive_size},
			     (struct bytes){y->path.data, y->archive_size});
}

int folder_compare(const void *a, const void *b)
{
	const struct folder *x = a, *y = b;
	int order = folder_compare_archives(x, y);

	return order != 0 ? order : path_compare(x->path, y->path);
}

uint32_t folder_tree_find(const struct folder_tree *tree, int64_t host, struct bytes path,
			  size_t archive_size)
{
	const struct folder key = {
		.host = host, .path = path, .archive_size = (uint32_t)archive_size};
	const struct folder *found =
		bsearch(&key, tree->folders, tree->count, sizeof *tree->folders, folder_compare);

	return found == NULL ? NO_FOLDER : (uint32_t)(found - tree->folders);
}

static bool is_on_host(const struct finder *finder, const struct find_side *side, int64_t host)
{
	return host ==
	       (side->host == NULL ? finder->local_host : name_list_id(&finder->hosts, side->host));
}

bool side_holds(const struct finder *finder, const struct find_side *side,
		const struct folder_row *row)
{
	return is_on_host(finder, side, row->host) &&
	       row_is_below(row->directory, row->name, side->directory);
}

bool side_compares(const struct finder *finder, const struct find_side *side, int64_t host,
		   struct bytes directory, size_t archive_size)
{
	struct bytes archive = {directory.data, archive_size == 0 ? 0 : archive_size - 1};

	return is_on_host(finder, side, host) && path_is_at_or_below(directory, side->directory) &&
	       path_is_at_or_below(side->directory, archive);
}

static bool is_compared(const struct finder *finder, const struct find_side *side,
			const struct folder *folder)
{
	return side_compares(finder, side, folder->host, folder->path, folder->archive_size);
}

uint32_t folder_tree_range(const struct folder_tree *tree, const struct finder *finder,
			   const struct find_side *side, uint32_t *end)
{
	uint32_t first = 0;

	while (first < tree->count && !is_compared(finder, side, &tree->folders[first]))
		first++;
	*end = first;
	while (*end < tree->count && is_compared(finder, side, &tree->folders[*end]))
		++*end;
	return first;
}

void folder_tree_release(struct folder_tree *tree)
{
	arena_release(&tree->paths);
	free(tree->folders);
	free(tree->contents);
	slots_release(&tree->slots);
	free(tree->held_first);
	free(tree->place_first);
	free(tree->alike_first);
	free(tree->held);
	free(tree->places);
	free(tree->alike);
	free(tree->links);
	*tree = (struct folder_tree){.count = 0};
}

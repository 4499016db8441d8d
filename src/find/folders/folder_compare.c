/*
 * Compares two folders file by file, and reads the rows a second time for the names.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "find/folders/folder_files.h"
#include "find/rule/finder.h"

static int read_names(const struct finder *finder, const struct find_side sides[2],
		      struct folder_files *files, struct arena *paths, struct simhash_error *error)
{
	struct folder_cursor *cursor;
	struct folder_row row;
	int status;

	if (store_folder_rows(finder->store, finder->tag_set, FOLDER_ROWS_EMPTY, &cursor, error) !=
	    0)
		return -1;
	while ((status = finder_next_folder_row(finder, cursor, &row, error)) == 1) {
		int side = 2;
		while (--side >= 0 && !side_compares(finder, &sides[side], row.host, row.directory,
						     row.archive_size))
			;
		if (side >= 0 && folder_files_add(files, side, sides[side].directory.size, &row,
						  paths, error) != 0) {
			status = -1;
			break;
		}
	}
	folder_rows_end(cursor);
	return status;
}

/* Two sides have common folders only if one is inside the other, and no archive is between them. */
static int check_ranges(const struct folder_range ranges[2], const struct find_side sides[2],
			struct simhash_error *error)
{
	if (ranges[0].first >= ranges[1].end || ranges[1].first >= ranges[0].end)
		return 0;
	return error_set(error, SIMHASH_E_RANGE,
			 "--directories: a directory cannot be compared with one that it is in, or "
			 "with itself: %.*s and %.*s",
			 (int)sides[0].directory.size, sides[0].directory.data,
			 (int)sides[1].directory.size, sides[1].directory.data);
}

static void add_totals(const struct folder_tree *tree, struct folder_range range,
		       struct folder_share *share)
{
	for (uint32_t i = range.first; i < range.end; i = tree->folders[i].end) {
		share->files += tree->folders[i].files;
		share->bytes = add_bytes(share->bytes, tree->folders[i].bytes, 1);
	}
}

static int enter_tops(struct folder_files *files, const struct find_side sides[2],
		      struct folder_comparison *comparison, struct simhash_error *error)
{
	size_t archives[2];
	bool is_archive[2];
	struct bytes tops[2] = {{"", 0}, {"", 0}};

	for (int side = 0; side < 2; side++) {
		const struct folder_range *range = &files->ranges[side];
		archives[side] = range->first == range->end
					 ? 0
					 : files->tree->folders[range->first].archive_size;
		is_archive[side] = archives[side] > 0;
	}
	folder_files_enter_tops(files, is_archive, tops);
	for (int side = 0; side < 2; side++) {
		bool is_inside = sides[side].directory.size >= archives[side];
		char *text = arena_take(&comparison->paths, tops[side].size + 2);
		if (text == NULL)
			return error_set_memory(error);
		memcpy(text, "//", 2);
		memcpy(text + 2, tops[side].data, tops[side].size);
		if (tops[side].size > 0)
			comparison->tops[side] =
				(struct bytes){text + is_inside, tops[side].size + 2 - is_inside};
	}
	return 0;
}

int finder_compare_folders(struct finder *finder, const struct folder_request *wanted,
			   struct folder_comparison *comparison, struct simhash_error *error)
{
	struct folder_tree tree;
	struct share_marks marks = {.marks = NULL};
	struct folder_pair *pair = &comparison->pair;
	struct folder_files files = {.tree = &tree};
	int status;

	*comparison = (struct folder_comparison){.count = 0};
	status = folder_tree_build(finder, wanted, &tree, error);
	if (status == 0)
		status = share_marks_init(&marks, &tree, error);
	for (int side = 0; status == 0 && side < 2; side++) {
		struct folder_range *range = &files.ranges[side];
		range->first = folder_tree_range(&tree, finder, &wanted->sides[side], &range->end);
		add_totals(&tree, *range, side == 0 ? &pair->a : &pair->b);
	}
	if (status == 0)
		status = check_ranges(files.ranges, wanted->sides, error);
	if (status == 0)
		status = folder_pair_measure(&tree, &marks, files.ranges[0], files.ranges[1], pair,
					     error);
	if (status == 0)
		status = read_names(finder, wanted->sides, &files, &comparison->paths, error);
	if (status == 0)
		status = enter_tops(&files, wanted->sides, comparison, error);
	if (status == 0)
		status = folder_files_match(&files, comparison, error);
	/* A file with a single member is not an archive, so that side would have no files. */
	if (status == 0 && pair->a.files > 0 && pair->b.files > 0) {
		pair->a.files = files_with_a(comparison);
		pair->b.files = files_with_b(comparison);
	}
	if (status == 0)
		status = folder_resemblances_find(finder, &tree, comparison, 1, error);
	if (status == 0 && wanted->with_similar)
		status = folder_parts_find(finder, &tree, wanted->sides, comparison, error);
	folder_files_release(&files);
	share_marks_release(&marks);
	folder_tree_release(&tree);
	if (status != 0)
		folder_comparison_release(comparison);
	return status;
}

void folder_comparison_release(struct folder_comparison *comparison)
{
	free(comparison->files);
	arena_release(&comparison->paths);
	*comparison = (struct folder_comparison){.count = 0};
}

/*
 * Compares the pairs of a list file by file, and reads the rows a second time for all names.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "find/folders/folder_files.h"
#include "find/rule/finder.h"

/* A side of a pair. */
struct pair_side {
	uint32_t folder, pair;
	int side;
};

struct detailing {
	const struct folder_tree *tree;
	struct folder_files *files; /* for each pair */
	struct pair_side *sides;    /* sorted by folder */
	size_t side_count;
	struct arena *paths;
};

static int compare_sides(const void *a, const void *b)
{
	const struct pair_side *x = a, *y = b;

	if (x->folder != y->folder)
		return x->folder < y->folder ? -1 : 1;
	return (x->pair > y->pair) - (x->pair < y->pair);
}

/* Take as many pairs as the limit allows, and ignore the sides of the others. */
static void take_pairs(struct detailing *detailing, const struct folder_pairs *found,
		       uint64_t files_max, struct folder_details *details)
{
	uint64_t room = files_max;

	for (size_t i = 0; i < details->count; i++) {
		const struct folder_pair *pair = &found->pairs[i];
		uint32_t folders[2] = {pair->folder_a, pair->folder_b};
		details->pairs[i].pair = *pair;
		details->pairs[i].is_left_out = pair->a.files > room ||
						pair->b.files > room - pair->a.files;
		if (details->pairs[i].is_left_out)
			continue;
		room -= pair->a.files + pair->b.files;
		detailing->files[i].tree = detailing->tree;
		for (int side = 0; side < 2; side++) {
			detailing->files[i].ranges[side] = range_of(detailing->tree, folders[side]);
			detailing->sides[detailing->side_count++] =
				(struct pair_side){folders[side], (uint32_t)i, side};
		}
	}
	if (detailing->side_count > 1)
		qsort(detailing->sides, detailing->side_count, sizeof *detailing->sides,
		      compare_sides);
}

/* The first side of a folder, or the place where it would be. */
static size_t sides_from(const struct detailing *detailing, uint32_t folder)
{
	size_t low = 0, high = detailing->side_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (detailing->sides[middle].folder < folder)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Add a file to its folder and to all folders around it. */
static int add_row(struct detailing *detailing, const struct folder_row *row,
		   struct simhash_error *error)
{
	const struct folder_tree *tree = detailing->tree;
	uint32_t at = folder_tree_find(tree, row->host, row->directory, row->archive_size);

	for (; at != NO_FOLDER; at = tree->folders[at].parent)
		for (size_t i = sides_from(detailing, at);
		     i < detailing->side_count && detailing->sides[i].folder == at; i++) {
			const struct pair_side *side = &detailing->sides[i];
			if (folder_files_add(&detailing->files[side->pair], side->side,
					     tree->folders[at].path.size, row, detailing->paths,
					     error) != 0)
				return -1;
		}
	return 0;
}

static int read_rows(struct detailing *detailing, const struct finder *finder,
		     struct simhash_error *error)
{
	struct folder_cursor *cursor;
	struct folder_row row;
	int status;

	if (store_folder_rows(finder->store, finder->tag_set, FOLDER_ROWS_EMPTY, &cursor, error) !=
	    0)
		return -1;
	while ((status = finder_next_folder_row(finder, cursor, &row, error)) == 1)
		if (add_row(detailing, &row, error) != 0) {
			status = -1;
			break;
		}
	folder_rows_end(cursor);
	return status;
}

int finder_detail_pairs(struct finder *finder, const struct folder_pairs *found, size_t count,
			uint64_t files_max, struct folder_details *details,
			struct simhash_error *error)
{
	struct detailing detailing = {.tree = &found->tree,
				      .files = calloc(count + 1, sizeof *detailing.files),
				      .sides = malloc((2 * count + 1) * sizeof *detailing.sides),
				      .paths = &details->paths};
	int status;

	*details = (struct folder_details){.pairs = calloc(count + 1, sizeof *details->pairs),
					   .count = count};
	status = detailing.files == NULL || detailing.sides == NULL || details->pairs == NULL
			 ? error_set_memory(error)
			 : 0;
	if (status == 0) {
		take_pairs(&detailing, found, files_max, details);
		status = read_rows(&detailing, finder, error);
	}
	for (size_t i = 0; detailing.files != NULL && i < count; i++) {
		if (status == 0 && !details->pairs[i].is_left_out)
			status = folder_files_match(&detailing.files[i], &details->pairs[i], error);
		folder_files_release(&detailing.files[i]);
	}
	if (status == 0)
		status = folder_resemblances_find(finder, &found->tree, details->pairs, count,
						  error);
	free(detailing.files);
	free(detailing.sides);
	if (status != 0)
		folder_details_release(details);
	return status;
}

void folder_details_release(struct folder_details *details)
{
	for (size_t i = 0; details->pairs != NULL && i < details->count; i++)
		folder_comparison_release(&details->pairs[i]);
	free(details->pairs);
	arena_release(&details->paths);
	*details = (struct folder_details){.count = 0};
}

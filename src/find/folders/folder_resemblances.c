/*
 * Estimates the resemblance of files at the same path that are not alike. It reads the rows a
 * second time, but only for the sketches of these files.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "find/folders/folder_files.h"
#include "find/rule/finder.h"

struct content_sketch {
	struct simhash_resemblance_sketch sketch;
	bool is_known;
};

struct resembling {
	const struct folder_tree *tree;
	uint32_t *numbers; /* for each content: the number of its sketch from 1; 0: not needed */
	struct content_sketch *sketches;
	size_t count, capacity;
};

static bool is_asked(const struct folder_file *file)
{
	return file->fate == FATE_CHANGED && file->resemblance < 0 &&
	       file->content_a != NO_CONTENT && file->content_b != NO_CONTENT;
}

static int ask(struct resembling *resembling, uint32_t content, struct simhash_error *error)
{
	if (resembling->numbers[content] != 0)
		return 0;
	if (array_reserve(&resembling->sketches, &resembling->capacity, resembling->count + 1,
			  sizeof *resembling->sketches, error) != 0)
		return -1;
	resembling->sketches[resembling->count++].is_known = false;
	resembling->numbers[content] = (uint32_t)resembling->count;
	return 0;
}

static int read_sketches(struct resembling *resembling, const struct finder *finder,
			 struct simhash_error *error)
{
	struct folder_cursor *cursor;
	struct folder_row row;
	int status;

	if (store_folder_rows(finder->store, finder->tag_set, FOLDER_ROWS_SKETCHES, &cursor,
			      error) != 0)
		return -1;
	while ((status = folder_rows_next(cursor, &row, error)) == 1) {
		uint32_t content =
			folder_tree_content(resembling->tree, row.size_bytes, row.content_hash);
		uint32_t number = content == NO_CONTENT ? 0 : resembling->numbers[content];
		if (number > 0 && row.sketch != NULL)
			resembling->sketches[number - 1] =
				(struct content_sketch){*row.sketch, true};
	}
	folder_rows_end(cursor);
	return status;
}

static void estimate(const struct resembling *resembling, struct folder_file *file)
{
	const struct content_sketch
		*a = &resembling->sketches[resembling->numbers[file->content_a] - 1],
		*b = &resembling->sketches[resembling->numbers[file->content_b] - 1];
	double resemblance;

	if (a->is_known && b->is_known &&
	    simhash_resemblance_estimate(&a->sketch, file->size_a_bytes, &b->sketch,
					 file->size_b_bytes, &resemblance))
		file->resemblance = resemblance;
}

int folder_resemblances_find(struct finder *finder, const struct folder_tree *tree,
			     struct folder_comparison *comparisons, size_t count,
			     struct simhash_error *error)
{
	struct resembling resembling = {
		.tree = tree,
		.numbers = calloc(tree->content_count + 1, sizeof *resembling.numbers)};
	int status = resembling.numbers == NULL ? error_set_memory(error) : 0;

	for (size_t c = 0; c < count; c++)
		for (size_t i = 0; status == 0 && i < comparisons[c].count; i++) {
			const struct folder_file *file = &comparisons[c].files[i];
			if (is_asked(file) && (ask(&resembling, file->content_a, error) != 0 ||
					       ask(&resembling, file->content_b, error) != 0))
				status = -1;
		}
	if (status == 0 && resembling.count > 0)
		status = read_sketches(&resembling, finder, error);
	for (size_t c = 0; c < count && resembling.count > 0; c++)
		for (size_t i = 0; status == 0 && i < comparisons[c].count; i++)
			if (is_asked(&comparisons[c].files[i]))
				estimate(&resembling, &comparisons[c].files[i]);
	free(resembling.numbers);
	free(resembling.sketches);
	return status;
}

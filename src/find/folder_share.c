/*
 * What two folders have in common, from what each holds and where contents are.
 * SPDX-License-Identifier: MIT
 */
#include "find/folder_share.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

int share_marks_init(struct share_marks *marks, const struct folder_tree *tree,
		     struct simhash_error *error)
{
	size_t count = tree->content_count + 1;

	*marks = (struct share_marks){.marks = calloc(count, sizeof *marks->marks),
				      .own = malloc(count * sizeof *marks->own),
				      .other = malloc(count * sizeof *marks->other)};
	if (marks->marks != NULL && marks->own != NULL && marks->other != NULL)
		return 0;
	share_marks_release(marks);
	return error_set_memory(error);
}

void share_marks_release(struct share_marks *marks)
{
	free(marks->marks);
	free(marks->own);
	free(marks->other);
	*marks = (struct share_marks){.marks = NULL};
}

void share_mark(const struct folder_tree *tree, struct share_marks *marks,
		struct folder_range range)
{
	for (size_t h = tree->held_first[range.first]; h < tree->held_first[range.end]; h++) {
		const struct held_content *held = &tree->held[h];
		if (marks->marks[held->content].files == 0)
			marks->own[marks->own_count++] = held->content;
		marks->marks[held->content].files += held->files;
	}
}

void share_unmark(struct share_marks *marks)
{
	for (size_t i = 0; i < marks->own_count; i++)
		marks->marks[marks->own[i]] = (struct content_mark){0};
	for (size_t i = 0; i < marks->other_count; i++)
		marks->marks[marks->other[i]] = (struct content_mark){0};
	marks->own_count = marks->other_count = 0;
}

/* The first place of a content at this folder or behind it. */
static const struct content_place *place_from(const struct folder_tree *tree, uint32_t content,
					      uint32_t folder)
{
	size_t low = tree->place_first[content], high = tree->place_first[content + 1];

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (tree->places[middle].folder < folder)
			low = middle + 1;
		else
			high = middle;
	}
	return &tree->places[low];
}

uint64_t content_files(const struct folder_tree *tree, uint32_t content, struct folder_range range)
{
	return place_from(tree, content, range.end)->files_before -
	       place_from(tree, content, range.first)->files_before;
}

uint32_t content_in(const struct folder_tree *tree, uint32_t content, struct folder_range range)
{
	if (content_files(tree, content, range) > 0)
		return IDENTICAL_MILLIONTHS;
	for (size_t i = tree->alike_first[content]; i < tree->alike_first[content + 1]; i++)
		if (content_files(tree, tree->alike[i].content, range) > 0)
			return tree->alike[i].millionths;
	return 0;
}

/* A content of the one folder, and how it meets the other's. */
static void measure_own(const struct folder_tree *tree, const struct content_mark *mark,
			uint32_t content, struct folder_range other, struct folder_share *share)
{
	bool is_same = content_files(tree, content, other) > 0;
	uint32_t millionths = is_same ? IDENTICAL_MILLIONTHS : content_in(tree, content, other);

	if (is_same)
		share->same += mark->files;
	else if (millionths > 0)
		share->changed += mark->files;
	share->shared_bytes = add_shared(share->shared_bytes, tree->contents[content].size_bytes,
					 millionths, mark->files);
}

/* Contents of b that are alike to this one of a, and not in a themselves. */
static void note_alike(const struct folder_tree *tree, struct share_marks *marks, uint32_t content)
{
	for (size_t i = tree->alike_first[content]; i < tree->alike_first[content + 1]; i++) {
		const struct alike_content *alike = &tree->alike[i];
		struct content_mark *mark = &marks->marks[alike->content];
		if (mark->files > 0)
			continue;
		if (mark->millionths == 0)
			marks->other[marks->other_count++] = alike->content;
		if (mark->millionths < alike->millionths)
			mark->millionths = alike->millionths;
	}
}

void share_measure(const struct folder_tree *tree, struct share_marks *marks,
		   struct folder_range range_a, struct folder_range range_b, struct folder_share *a,
		   struct folder_share *b)
{
	share_mark(tree, marks, range_a);
	for (size_t i = 0; i < marks->own_count; i++) {
		uint32_t content = marks->own[i];
		uint64_t files = content_files(tree, content, range_b);
		measure_own(tree, &marks->marks[content], content, range_b, a);
		b->same += files;
		b->shared_bytes = add_shared(b->shared_bytes, tree->contents[content].size_bytes,
					     IDENTICAL_MILLIONTHS, files);
		note_alike(tree, marks, content);
	}
	for (size_t i = 0; i < marks->other_count; i++) {
		uint32_t content = marks->other[i];
		uint64_t files = content_files(tree, content, range_b);
		b->changed += files;
		b->shared_bytes = add_shared(b->shared_bytes, tree->contents[content].size_bytes,
					     marks->marks[content].millionths, files);
	}
	share_unmark(marks);
}

/* ---- What is saved ---- */

static int compare_files(const void *a, const void *b)
{
	const struct linked_name *x = *(const struct linked_name *const *)a;
	const struct linked_name *y = *(const struct linked_name *const *)b;

	return (x->file > y->file) - (x->file < y->file);
}

static size_t first_link(const struct folder_tree *tree, uint32_t folder)
{
	size_t low = 0, high = tree->link_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (tree->links[middle].folder < folder)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The bytes that were counted for names although their files stay, or once for each name. */
static int64_t linked_bytes(const struct folder_tree *tree, const struct linked_name **names,
			    size_t count)
{
	int64_t bytes = 0;
	size_t end;

	if (count > 1)
		qsort(names, count, sizeof *names, compare_files);
	for (size_t first = 0; first < count; first = end) {
		bool is_whole;
		for (end = first + 1; end < count && names[end]->file == names[first]->file; end++)
			;
		is_whole = end - first >= names[first]->names;
		bytes = add_bytes(bytes, tree->contents[names[first]->content].size_bytes,
				  end - first - is_whole);
	}
	return bytes;
}

int64_t share_saved(const struct folder_tree *tree, struct share_marks *marks,
		    struct folder_range a, struct folder_range b)
{
	size_t first = first_link(tree, a.first), end = first_link(tree, a.end), count = 0;
	const struct linked_name **names = malloc((end - first + 1) * sizeof *names);
	int64_t bytes = 0;

	if (names == NULL)
		return -1;
	share_mark(tree, marks, a);
	for (size_t i = 0; i < marks->own_count; i++)
		if (content_files(tree, marks->own[i], b) > 0)
			bytes = add_bytes(bytes, tree->contents[marks->own[i]].size_bytes,
					  marks->marks[marks->own[i]].files);
	share_unmark(marks);
	for (size_t i = first; i < end; i++)
		if (content_files(tree, tree->links[i].content, b) > 0)
			names[count++] = &tree->links[i];
	bytes -= linked_bytes(tree, names, count);
	free(names);
	return bytes < 0 ? 0 : bytes;
}

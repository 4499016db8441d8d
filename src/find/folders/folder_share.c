/*
 * Measures the bytes and files that two folders share, and the space that removing copies would
 * free. It uses the contents of each folder and the places of each content.
 * SPDX-License-Identifier: MIT
 */
#include "find/folders/folder_share.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"

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

/* The first place of a content in this folder or in a later one. */
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

/* Add the share of one content of a folder that the other folder has. */
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
	if (!is_same)
		share->alike_bytes = add_shared(share->alike_bytes,
						tree->contents[content].size_bytes, millionths,
						mark->files);
}

/* Note contents of b that are similar to this content of a, and that are not in a. */
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
		b->alike_bytes = add_shared(b->alike_bytes, tree->contents[content].size_bytes,
					    marks->marks[content].millionths, files);
	}
	share_unmark(marks);
}

/* ---- Saved space ---- */

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

/* The names of one file in the two folders. */
struct names_of_file {
	const struct linked_name *const *in_a, *const *in_b;
	size_t count_a, count_b;
};

/* Is the file removed with its names in a, while b keeps another file of its content? */
static bool is_freed(const struct folder_tree *tree, const struct names_of_file *names,
		     struct folder_range b)
{
	return names->count_a >= names->in_a[0]->hard_links &&
	       content_files(tree, names->in_a[0]->content, b) > names->count_b;
}

/* The number of names, from the first one on, that belong to a file. */
static size_t names_of(const struct linked_name *const *names, size_t count, uint32_t file)
{
	size_t same = 0;

	while (same < count && names[same]->file == file)
		same++;
	return same;
}

/*
 * The bytes that were counted for names whose file stays, or more than once for a file with several
 * names.
 */
static int64_t linked_bytes(const struct folder_tree *tree, struct names_of_file all,
			    struct folder_range b)
{
	int64_t bytes = 0;

	while (all.count_a > 0) {
		uint32_t file = all.in_a[0]->file;
		struct names_of_file one = all;
		while (all.count_b > 0 && all.in_b[0]->file < file) {
			all.in_b++;
			all.count_b--;
		}
		one.in_b = all.in_b;
		one.count_a = names_of(all.in_a, all.count_a, file);
		one.count_b = names_of(all.in_b, all.count_b, file);
		bytes = add_bytes(bytes, tree->contents[all.in_a[0]->content].size_bytes,
				  one.count_a - is_freed(tree, &one, b));
		all.in_a += one.count_a;
		all.count_a -= one.count_a;
	}
	return bytes;
}

/* The names in a folder whose contents are in b, sorted by file. NULL without memory. */
static const struct linked_name **names_in(const struct folder_tree *tree,
					   struct folder_range range, struct folder_range b,
					   size_t *count)
{
	size_t first = first_link(tree, range.first), end = first_link(tree, range.end);
	const struct linked_name **names = malloc((end - first + 1) * sizeof *names);

	*count = 0;
	for (size_t i = first; names != NULL && i < end; i++)
		if (content_files(tree, tree->links[i].content, b) > 0)
			names[(*count)++] = &tree->links[i];
	if (*count > 1)
		qsort(names, *count, sizeof *names, compare_files);
	return names;
}

int64_t share_saved(const struct folder_tree *tree, struct share_marks *marks,
		    struct folder_range a, struct folder_range b)
{
	struct names_of_file names;
	const struct linked_name **in_a = names_in(tree, a, b, &names.count_a),
				 **in_b = names_in(tree, b, b, &names.count_b);
	int64_t bytes = 0;

	names.in_a = in_a;
	names.in_b = in_b;
	if (in_a != NULL && in_b != NULL) {
		share_mark(tree, marks, a);
		for (size_t i = 0; i < marks->own_count; i++)
			if (content_files(tree, marks->own[i], b) > 0)
				bytes = add_bytes(bytes, tree->contents[marks->own[i]].size_bytes,
						  marks->marks[marks->own[i]].files);
		share_unmark(marks);
		bytes -= linked_bytes(tree, names, b);
		bytes = bytes < 0 ? 0 : bytes;
	} else {
		bytes = -1;
	}
	free(in_a);
	free(in_b);
	return bytes;
}

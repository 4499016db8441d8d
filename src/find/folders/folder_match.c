/*
 * Finds the counterpart of each file: at the same path, with the same content, or with the most
 * similar content.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "find/folders/folder_files.h"

/* Above the similarity of any two different contents. */
#define SAME_CONTENT (IDENTICAL_MILLIONTHS + 1)

/*
 * A possible match: the counterpart of a file may have this content. millionths: the similarity to
 * the file's own content.
 */
struct chance {
	uint32_t millionths, content;
	size_t file; /* the number of a file of a, in the order of paths */
};

struct matching {
	struct folder_files *files;
	struct folder_comparison *result;
	size_t *next; /* for each file of b: the next file that is not matched, from itself on */
	struct chance *chances;
	size_t count, capacity;
};

static int add_file(struct folder_comparison *result, const struct folder_file *file,
		    struct simhash_error *error)
{
	if (array_reserve(&result->files, &result->capacity, result->count + 1,
			  sizeof *result->files, error) != 0)
		return -1;
	result->files[result->count++] = *file;
	result->fates[file->fate]++;
	return 0;
}

static int add_match(struct matching *matching, struct named_file *a, struct named_file *b,
		     enum fate fate, double resemblance, struct simhash_error *error)
{
	const struct folder_file added = {.fate = fate,
					  .path_a = a->path,
					  .path_b = b->path,
					  .size_a_bytes = a->size_bytes,
					  .size_b_bytes = b->size_bytes,
					  .content_a = a->content,
					  .content_b = b->content,
					  .resemblance = resemblance};

	a->is_matched = b->is_matched = true;
	return add_file(matching->result, &added, error);
}

/* ---- The same path ---- */

static int compare_paths(const void *a, const void *b)
{
	return bytes_compare(((const struct named_file *)a)->path,
			     ((const struct named_file *)b)->path);
}

/* The resemblance as far as it is known without sketches. */
static double known_resemblance(const struct folder_tree *tree, const struct named_file *a,
				const struct named_file *b)
{
	if (a->size_bytes == 0 || b->size_bytes == 0)
		return 0;
	if (a->content == NO_CONTENT || b->content == NO_CONTENT)
		return RESEMBLANCE_UNKNOWN;
	for (size_t i = tree->alike_first[a->content]; i < tree->alike_first[a->content + 1]; i++)
		if (tree->alike[i].content == b->content)
			return (double)tree->alike[i].millionths / SIMHASH_MILLION;
	return RESEMBLANCE_UNKNOWN;
}

/*
 * May each file have moved elsewhere in the other folder, for example if two files swapped names?
 * If the two are not alike, it is enough that one of them may have moved. For example, a log was
 * renamed, and a new log has its old name.
 */
static bool may_have_moved(const struct folder_files *files, const struct named_file *a,
			   const struct named_file *b)
{
	const struct folder_tree *tree = files->tree;
	bool a_is_there, b_is_there;

	if (a->content == NO_CONTENT || b->content == NO_CONTENT)
		return false;
	a_is_there = content_files(tree, a->content, files->ranges[1]) > 0;
	b_is_there = content_files(tree, b->content, files->ranges[0]) > 0;
	return known_resemblance(tree, a, b) == RESEMBLANCE_UNKNOWN ? a_is_there || b_is_there
								    : a_is_there && b_is_there;
}

static int match_path(struct matching *matching, struct named_file *a, struct named_file *b,
		      struct simhash_error *error)
{
	if (a->size_bytes == 0 && b->size_bytes == 0)
		return 0;
	if (a->content == b->content && a->content != NO_CONTENT)
		return add_match(matching, a, b, FATE_SAME, 1, error);
	if (may_have_moved(matching->files, a, b)) {
		b->namesake = (size_t)(a - matching->files->named[0].files) + 1;
		return 0;
	}
	return add_match(matching, a, b, FATE_CHANGED,
			 known_resemblance(matching->files->tree, a, b), error);
}

static int match_paths(struct matching *matching, struct simhash_error *error)
{
	struct named_files *named = matching->files->named;

	for (int side = 0; side < 2; side++)
		if (named[side].count > 1)
			qsort(named[side].files, named[side].count, sizeof *named[side].files,
			      compare_paths);
	for (size_t i = 0, k = 0; i < named[0].count && k < named[1].count;) {
		struct named_file *a = &named[0].files[i], *b = &named[1].files[k];
		int order = bytes_compare(a->path, b->path);
		if (order == 0 && match_path(matching, a, b, error) != 0)
			return -1;
		i += order <= 0;
		k += order >= 0;
	}
	return 0;
}

/* ---- Other paths ---- */

/* The first file from `at` on that is not matched. */
static size_t next_free(struct matching *matching, size_t at)
{
	size_t *next = matching->next;

	while (next[at] != at) {
		next[at] = next[next[at]];
		at = next[at];
	}
	return at;
}

/*
 * The first file with a content and, if given, with a name. For b, only files that are not matched.
 */
static struct named_file *file_of(struct matching *matching, int side, uint32_t content,
				  const struct bytes *name)
{
	struct named_files *named = &matching->files->named[side];
	size_t at = named_files_first(named, content, name != NULL ? *name : (struct bytes){"", 0});

	if (matching->next != NULL)
		at = next_free(matching, at);
	if (at >= named->count || named->files[at].content != content ||
	    (name != NULL && bytes_compare(last_name(named->files[at].path), *name) != 0))
		return NULL;
	return &named->files[at];
}

static bool goes_before(const struct named_file *x, const struct named_file *y)
{
	int order = bytes_compare(last_name(x->path), last_name(y->path));

	return order != 0 ? order < 0 : bytes_compare(x->path, y->path) < 0;
}

/*
 * Among the possible matches of one file, choose the first by name and path; if `name` is given,
 * only among files with this name.
 */
static struct named_file *best_of(struct matching *matching, int side, const struct chance *chances,
				  size_t count, const struct bytes *name)
{
	struct named_file *best = NULL;

	for (size_t i = 0; i < count; i++) {
		struct named_file *found = file_of(matching, side, chances[i].content, name);
		if (found != NULL && (best == NULL || goes_before(found, best)))
			best = found;
	}
	return best;
}

static int add_chance(struct matching *matching, uint32_t millionths, uint32_t content, size_t file,
		      struct simhash_error *error)
{
	if (array_reserve(&matching->chances, &matching->capacity, matching->count + 1,
			  sizeof *matching->chances, error) != 0)
		return -1;
	matching->chances[matching->count++] = (struct chance){millionths, content, file};
	return 0;
}

static int add_chances(struct matching *matching, size_t file, struct simhash_error *error)
{
	const struct folder_tree *tree = matching->files->tree;
	uint32_t content = matching->files->named[0].files[file].content;

	if (file_of(matching, 1, content, NULL) != NULL &&
	    add_chance(matching, SAME_CONTENT, content, file, error) != 0)
		return -1;
	for (size_t i = tree->alike_first[content]; i < tree->alike_first[content + 1]; i++)
		if (file_of(matching, 1, tree->alike[i].content, NULL) != NULL &&
		    add_chance(matching, tree->alike[i].millionths, tree->alike[i].content, file,
			       error) != 0)
			return -1;
	return 0;
}

static int compare_chances(const void *a, const void *b)
{
	const struct chance *x = a, *y = b;

	if (x->millionths != y->millionths)
		return x->millionths > y->millionths ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->content > y->content) - (x->content < y->content);
}

/* Take possible matches of equal similarity, for the files of a in the order of their paths. */
static int take_chances(struct matching *matching, const struct chance *chances, size_t count,
			bool by_name, struct simhash_error *error)
{
	bool is_same = chances[0].millionths == SAME_CONTENT;
	size_t end;

	for (size_t first = 0; first < count; first = end) {
		struct named_file *a = &matching->files->named[0].files[chances[first].file], *b;
		struct bytes name = last_name(a->path);
		for (end = first + 1; end < count && chances[end].file == chances[first].file;)
			end++;
		if (a->is_matched)
			continue;
		b = best_of(matching, 1, chances + first, end - first, by_name ? &name : NULL);
		if (b == NULL)
			continue;
		matching->next[b - matching->files->named[1].files]++;
		if (add_match(matching, a, b, is_same ? FATE_MOVED : FATE_CHANGED,
			      is_same ? 1 : (double)chances[first].millionths / SIMHASH_MILLION,
			      error) != 0)
			return -1;
	}
	return 0;
}

/* Files at the same path that have not moved are versions of each other. */
static int match_namesakes(struct matching *matching, struct simhash_error *error)
{
	struct named_files *named = matching->files->named;

	for (size_t i = 0; i < named[1].count; i++) {
		struct named_file *b = &named[1].files[i];
		struct named_file *a =
			b->namesake == 0 || b->is_matched ? NULL : &named[0].files[b->namesake - 1];
		if (a == NULL || a->is_matched)
			continue;
		matching->next[i]++;
		if (add_match(matching, a, b, FATE_CHANGED,
			      known_resemblance(matching->files->tree, a, b), error) != 0)
			return -1;
	}
	return 0;
}

static int match_contents(struct matching *matching, struct simhash_error *error)
{
	struct named_files *a = &matching->files->named[0], *b = &matching->files->named[1];
	int status = 0;
	size_t end;

	named_files_sort(b);
	matching->next = malloc((b->count + 1) * sizeof *matching->next);
	if (matching->next == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i <= b->count; i++)
		matching->next[i] = i < b->count && b->files[i].is_matched ? i + 1 : i;
	for (size_t i = 0; i < a->count; i++)
		if (!a->files[i].is_matched && a->files[i].content != NO_CONTENT &&
		    add_chances(matching, i, error) != 0)
			return -1;
	if (matching->count > 1)
		qsort(matching->chances, matching->count, sizeof *matching->chances,
		      compare_chances);
	if (matching->count == 0 || matching->chances[0].millionths != SAME_CONTENT)
		status = match_namesakes(matching, error);
	for (size_t first = 0; status == 0 && first < matching->count; first = end) {
		const struct chance *chances = &matching->chances[first];
		for (end = first + 1; end < matching->count &&
				      matching->chances[end].millionths == chances->millionths;)
			end++;
		if (take_chances(matching, chances, end - first, true, error) != 0 ||
		    take_chances(matching, chances, end - first, false, error) != 0 ||
		    (chances->millionths == SAME_CONTENT && match_namesakes(matching, error) != 0))
			status = -1;
	}
	free(matching->next);
	matching->next = NULL;
	return status;
}

/* ---- Files without a counterpart ---- */

/*
 * Find the most similar file in the other folder, which is already the counterpart of another file.
 */
static int find_like(struct matching *matching, const struct named_file *file, int other,
		     struct folder_file *added, struct simhash_error *error)
{
	const struct folder_tree *tree = matching->files->tree;
	struct folder_range range = matching->files->ranges[other];
	struct bytes name = last_name(file->path);
	const struct named_file *found;
	uint32_t millionths;

	if (file->content == NO_CONTENT)
		return 0;
	matching->count = 0;
	millionths = content_in(tree, file->content, range);
	if (content_files(tree, file->content, range) > 0) {
		if (add_chance(matching, SAME_CONTENT, file->content, 0, error) != 0)
			return -1;
	} else if (millionths > 0) {
		for (size_t i = tree->alike_first[file->content];
		     i < tree->alike_first[file->content + 1]; i++)
			if (tree->alike[i].millionths == millionths &&
			    add_chance(matching, millionths, tree->alike[i].content, 0, error) != 0)
				return -1;
	}
	found = best_of(matching, other, matching->chances, matching->count, &name);
	if (found == NULL)
		found = best_of(matching, other, matching->chances, matching->count, NULL);
	if (found != NULL) {
		added->like = found->path;
		added->is_copy = found->content == file->content;
		added->resemblance = (double)millionths / SIMHASH_MILLION;
	}
	return 0;
}

static int add_rest(struct matching *matching, int side, struct simhash_error *error)
{
	const struct named_files *named = &matching->files->named[side];

	for (size_t i = 0; i < named->count; i++) {
		const struct named_file *file = &named->files[i];
		struct folder_file added = {.fate = side == 0 ? FATE_ONLY_A : FATE_ONLY_B,
					    .resemblance = RESEMBLANCE_UNKNOWN};
		if (file->is_matched || file->size_bytes == 0)
			continue;
		*(side == 0 ? &added.path_a : &added.path_b) = file->path;
		*(side == 0 ? &added.content_a : &added.content_b) = file->content;
		*(side == 0 ? &added.size_a_bytes : &added.size_b_bytes) = file->size_bytes;
		if (find_like(matching, file, 1 - side, &added, error) != 0 ||
		    add_file(matching->result, &added, error) != 0)
			return -1;
	}
	return 0;
}

static int compare_results(const void *a, const void *b)
{
	const struct folder_file *x = a, *y = b;

	if (x->fate != y->fate)
		return x->fate < y->fate ? -1 : 1;
	return x->fate == FATE_ONLY_B ? bytes_compare(x->path_b, y->path_b)
				      : bytes_compare(x->path_a, y->path_a);
}

int folder_files_match(struct folder_files *files, struct folder_comparison *comparison,
		       struct simhash_error *error)
{
	struct matching matching = {.files = files, .result = comparison};
	int status = match_paths(&matching, error);

	if (status == 0)
		status = match_contents(&matching, error);
	named_files_sort(&files->named[0]);
	for (int side = 0; status == 0 && side < 2; side++)
		status = add_rest(&matching, side, error);
	if (comparison->count > 1)
		qsort(comparison->files, comparison->count, sizeof *comparison->files,
		      compare_results);
	free(matching.next);
	free(matching.chances);
	return status;
}

/*
 * Finds the folder that contains all files of an archive, such as name-1.2 in name-1.2.tar.gz, and
 * compares its paths instead if more files then have the same path.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "find/folders/folder_files.h"

/* The folders that contain all files of a side: each is below the one before it. */
struct top_folders {
	size_t count;
	size_t sizes[TOP_FOLDERS_MAX + 1]; /* the bytes of each path and a slash; the first is 0 */
};

static int compare_paths(const void *a, const void *b)
{
	return bytes_compare(((const struct named_file *)a)->path,
			     ((const struct named_file *)b)->path);
}

static void find_tops(const struct named_files *named, struct top_folders *tops)
{
	struct bytes first = named->files[0].path, last = named->files[named->count - 1].path;

	*tops = (struct top_folders){.count = 0};
	for (size_t i = 0; i < first.size && i < last.size && first.data[i] == last.data[i]; i++)
		if (first.data[i] == '/' && tops->count < TOP_FOLDERS_MAX)
			tops->sizes[++tops->count] = i + 1;
}

static struct bytes path_below(const struct named_file *file, size_t top)
{
	return (struct bytes){file->path.data + top, file->path.size - top};
}

/* Count the files that have the same path below two tops. Both sides are sorted by path. */
static size_t count_same(const struct named_files named[2], const size_t tops[2])
{
	size_t same = 0;

	for (size_t i = 0, k = 0; i < named[0].count && k < named[1].count;) {
		int order = bytes_compare(path_below(&named[0].files[i], tops[0]),
					  path_below(&named[1].files[k], tops[1]));
		same += order == 0;
		i += order <= 0;
		k += order >= 0;
	}
	return same;
}

struct best_tops {
	size_t same, tops[2];
};

static void try_tops(const struct named_files named[2], size_t top_a, size_t top_b,
		     struct best_tops *best)
{
	const size_t tops[2] = {top_a, top_b};
	size_t same = count_same(named, tops);

	if (same > best->same)
		*best = (struct best_tops){same, {top_a, top_b}};
}

static void take_top(struct named_files *named, size_t size, struct bytes *top)
{
	if (size == 0)
		return;
	*top = (struct bytes){named->files[0].path.data, size - 1};
	for (size_t i = 0; i < named->count; i++)
		named->files[i].path = path_below(&named->files[i], size);
}

void folder_files_enter_tops(struct folder_files *files, const bool is_archive[2],
			     struct bytes tops[2])
{
	struct named_files *named = files->named;
	struct top_folders found[2] = {{.count = 0}, {.count = 0}};
	struct best_tops best = {.same = 0};

	if (named[0].count == 0 || named[1].count == 0)
		return;
	for (int side = 0; side < 2; side++) {
		qsort(named[side].files, named[side].count, sizeof *named[side].files,
		      compare_paths);
		if (is_archive[side])
			find_tops(&named[side], &found[side]);
	}
	if (found[0].count + found[1].count == 0)
		return;
	try_tops(named, 0, 0, &best);
	/* Other combinations match no file that one of these does not match. */
	for (size_t i = 0; i <= found[0].count; i++)
		try_tops(named, found[0].sizes[i], found[1].sizes[found[1].count], &best);
	for (size_t i = 0; i <= found[1].count; i++)
		try_tops(named, found[0].sizes[found[0].count], found[1].sizes[i], &best);
	take_top(&named[0], best.tops[0], &tops[0]);
	take_top(&named[1], best.tops[1], &tops[1]);
}

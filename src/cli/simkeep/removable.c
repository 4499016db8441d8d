/*
 * Adds up removable copies by folder, and lists the folders.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/removable.h"

#include <stdlib.h>
#include <string.h>

#include "base/data/array.h"
#include "base/files/path.h"
#include "base/sort/sort.h"
#include "base/text/decimal.h"
#include "base/text/escape.h"

int removable_add(struct removable *removable, const char *path, uint64_t bytes,
		  struct simhash_error *error)
{
	size_t size = (size_t)(path_name(path) - path);

	if (array_reserve(&removable->folders, &removable->capacity, removable->count + 1,
			  sizeof *removable->folders, error) != 0)
		return -1;
	/* Without the slash at its end, unless that is all. */
	removable->folders[removable->count++] =
		(struct removable_folder){{path, size > 1 ? size - 1 : size}, 1, bytes};
	return 0;
}

static int compare_paths(const void *a, const void *b, void *context)
{
	const struct removable_folder *x = a, *y = b;
	size_t size = x->path.size < y->path.size ? x->path.size : y->path.size;
	int order = memcmp(x->path.data, y->path.data, size);

	(void)context;
	return order != 0 ? order : (x->path.size > y->path.size) - (x->path.size < y->path.size);
}

static int compare_bytes(const void *a, const void *b, void *context)
{
	const struct removable_folder *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	return compare_paths(a, b, context);
}

/* One entry for each folder, the largest first. */
static void add_up(struct removable *removable)
{
	struct removable_folder *folders = removable->folders;
	size_t kept = 0;

	sort_with(folders, removable->count, sizeof *folders, compare_paths, NULL);
	for (size_t i = 0; i < removable->count; i++) {
		if (kept == 0 || compare_paths(&folders[kept - 1], &folders[i], NULL) != 0) {
			folders[kept++] = folders[i];
			continue;
		}
		folders[kept - 1].copies += folders[i].copies;
		folders[kept - 1].bytes += folders[i].bytes;
	}
	removable->count = kept;
	sort_with(folders, removable->count, sizeof *folders, compare_bytes, NULL);
}

void removable_write(struct removable *removable, FILE *out)
{
	char count[32], bytes[32];

	add_up(removable);
	for (size_t i = 0; i < removable->count; i++) {
		const struct removable_folder *folder = &removable->folders[i];
		fprintf(out, "%9s %-6s %9s  ", format_count(folder->copies, count),
			folder->copies == 1 ? "copy" : "copies",
			format_bytes((double)folder->bytes, bytes));
		write_escaped(out, folder->path);
		fputc('\n', out);
	}
}

void removable_release(struct removable *removable)
{
	free(removable->folders);
	*removable = (struct removable){.count = 0};
}

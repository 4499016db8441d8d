/*
 * Makes the versions of a group: identical files are one version.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "find/lineage/lineage.h"

static int compare_contents(const struct find_file *x, const struct find_file *y)
{
	if (x->uniform != y->uniform)
		return x->uniform < y->uniform ? -1 : 1;
	if (x->size_bytes != y->size_bytes)
		return x->size_bytes < y->size_bytes ? -1 : 1;
	return memcmp(x->content_hash, y->content_hash, CONTENT_HASH_SIZE);
}

static int compare_files(const void *a, const void *b)
{
	const struct find_file *x = *(const struct find_file *const *)a;
	const struct find_file *y = *(const struct find_file *const *)b;
	int order = compare_contents(x, y);

	return order != 0 ? order : find_file_compare(x, y);
}

static struct version_path path_of(const struct find_file *file)
{
	return version_path_of(
		(struct bytes){find_file_path(file), file->display_size - file->path_offset});
}

/* The file with the earliest version by its name represents the version. */
static void choose_first(const struct find_file **files, size_t count)
{
	size_t first = 0;
	struct version_path earliest = path_of(files[0]);

	for (size_t i = 1; i < count; i++) {
		struct version_path path = path_of(files[i]);
		if (paths_compare(&path, &earliest).order.order < 0) {
			earliest = path;
			first = i;
		}
	}
	for (; first > 0; first--) {
		const struct find_file *file = files[first];
		files[first] = files[first - 1];
		files[first - 1] = file;
	}
}

static struct lineage_version version_of(const struct find_file **files, size_t count)
{
	struct lineage_version version = {.files = files,
					  .file_count = count,
					  .mtime_ns = files[0]->mtime_ns,
					  .parent = NO_PARENT};

	for (size_t i = 1; i < count; i++)
		if (files[i]->mtime_ns < version.mtime_ns)
			version.mtime_ns = files[i]->mtime_ns;
	choose_first(files, count);
	return version;
}

/* Parse the paths that are compared. */
static int parse_paths(struct lineage *lineage, struct simhash_error *error)
{
	size_t count = 0, bytes = 0;

	for (size_t v = 0; v < lineage->count; v++)
		for (size_t i = 0; i < lineage_names(&lineage->versions[v]); i++, count++)
			bytes += path_of(lineage->versions[v].files[i]).path.size;
	lineage->paths = malloc(count * sizeof *lineage->paths);
	lineage->meanings = malloc(bytes + 1);
	if (lineage->paths == NULL || lineage->meanings == NULL)
		return error_set_memory(error);
	count = bytes = 0;
	for (size_t v = 0; v < lineage->count; v++) {
		struct lineage_version *version = &lineage->versions[v];
		version->paths = &lineage->paths[count];
		for (size_t i = 0; i < lineage_names(version); i++) {
			struct version_path *path = &lineage->paths[count++];
			*path = path_of(version->files[i]);
			version_path_parse(path, &lineage->meanings[bytes]);
			bytes += path->path.size;
		}
	}
	return 0;
}

/* ---- Rotated logs ---- */

/* A name of a version, and its file. */
struct named_file {
	struct version_path *path;
	const struct find_file *file;
};

/* The directory of a file. A compressed file with one member is in the directory of its archive. */
static struct bytes directory_of(const struct version_path *path)
{
	struct bytes directory = {path->path.data, (size_t)(path->name.data - path->path.data)};
	const char *slash;

	if (directory.size < 2 || directory.data[directory.size - 2] != '/')
		return directory;
	slash = last_byte(directory.data, '/', directory.size - 2);
	directory.size = slash == NULL ? 0 : (size_t)(slash - directory.data) + 1;
	return directory;
}

/* Is this the same log of the same directory? Otherwise, the order of the logs. */
static int compare_logs(const struct named_file *x, const struct named_file *y)
{
	int order;

	if (x->file->host != y->file->host)
		return x->file->host < y->file->host ? -1 : 1;
	order = bytes_compare(directory_of(x->path), directory_of(y->path));
	return order != 0 ? order : bytes_compare(x->path->rotation.log, y->path->rotation.log);
}

/* Log after log, the earliest rotation first. */
static int compare_rotations(const void *a, const void *b)
{
	const struct named_file *x = a, *y = b;
	int order = compare_logs(x, y);

	if (order == 0)
		order = rotation_compare(&x->path->rotation, &y->path->rotation);
	if (order == 0) /* between days and numbers, names do not decide */
		order = (int)x->path->rotation.kind - (int)y->path->rotation.kind;
	return order != 0 ? order : bytes_compare(x->path->name, y->path->name);
}

/* Is there a log without a number, and do all times agree with the numbers? */
static bool is_rotated(const struct named_file *files, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (lineage_evidence_of_time(files[i - 1].file->mtime_ns,
					     files[i].file->mtime_ns) <= 0)
			return false;
	return count > 1 && files[count - 1].path->rotation.kind == ROTATION_CURRENT;
}

static void mark_rotated(struct named_file *files, size_t count)
{
	qsort(files, count, sizeof *files, compare_rotations);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && compare_logs(&files[i], &files[end]) == 0;)
			end++;
		if (!is_rotated(&files[i], end - i))
			continue;
		for (size_t f = i; f < end; f++)
			files[f].path->is_rotated = true;
	}
}

/* A name without .log is the name of a rotated log if its directory shows it. */
static int find_rotated(struct lineage *lineage, struct simhash_error *error)
{
	struct named_file *files;
	size_t count = 0, numbered = 0;

	for (size_t v = 0; v < lineage->count; v++)
		count += lineage_names(&lineage->versions[v]);
	files = malloc((count + 1) * sizeof *files);
	if (files == NULL)
		return error_set_memory(error);
	count = 0;
	for (size_t v = 0, n = 0; v < lineage->count; v++)
		for (size_t i = 0; i < lineage_names(&lineage->versions[v]); i++, n++) {
			struct version_path *path = &lineage->paths[n];
			if (path->is_rotated)
				continue;
			files[count++] = (struct named_file){path, lineage->versions[v].files[i]};
			numbered += path->rotation.kind != ROTATION_CURRENT;
		}
	if (numbered > 0)
		mark_rotated(files, count);
	free(files);
	return 0;
}

/* ---- All versions ---- */

int lineage_take_versions(const struct group *group, const struct group_member *members,
			  struct lineage *lineage, struct simhash_error *error)
{
	size_t end;

	*lineage = (struct lineage){
		.versions = calloc(group->count, sizeof *lineage->versions),
		.files = malloc(group->count * sizeof(struct find_file *)),
	};
	if (lineage->versions == NULL || lineage->files == NULL)
		return error_set_memory(error);
	for (size_t i = 0; i < group->count; i++)
		lineage->files[i] = members[i].file;
	qsort(lineage->files, group->count, sizeof(struct find_file *), compare_files);
	for (size_t i = 0; i < group->count; i = end) {
		for (end = i + 1;
		     end < group->count && are_identical(lineage->files[i], lineage->files[end]);)
			end++;
		lineage->versions[lineage->count++] = version_of(&lineage->files[i], end - i);
	}
	return parse_paths(lineage, error) != 0 ? -1 : find_rotated(lineage, error);
}

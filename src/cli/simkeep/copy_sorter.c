/*
 * Encodes files as lines of bytes in the order of plans, and sorts these lines.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/copy_sorter.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/byte_order.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/sort/line_sorter.h"

#define RECENT_FILES 65536 /* the first file of many copies comes with each of them */

/* A line contains the content, the path with its zero, and the numbers. */
enum { SIZE_BYTES = 8, CONTENT_BYTES = SIZE_BYTES + KEEP_HASH_SIZE };

struct copy_numbers {
	int64_t mtime_ns, archive_bytes;
	uint64_t device, inode;
};

struct recent_file {
	bool is_taken;
	uint8_t path_hash[PATH_HASH_SIZE];
};

struct copy_sorter {
	bool with_members;
	struct line_sorter *lines;
	pthread_mutex_t lock; /* for the fields below */
	struct recent_file *recent;
	char *line;
	size_t line_capacity;
};

int copy_sorter_new(size_t memory_bytes, bool with_members, struct copy_sorter **sorter,
		    struct simhash_error *error)
{
	struct copy_sorter *made = *sorter = calloc(1, sizeof *made);

	if (made == NULL)
		return error_set_memory(error);
	made->with_members = with_members;
	pthread_mutex_init(&made->lock, NULL);
	made->recent = calloc(RECENT_FILES, sizeof *made->recent);
	/* Sorting lines needs as much memory as the lines. */
	if (made->recent != NULL && line_sorter_new(memory_bytes / 2, &made->lines, error) == 0)
		return 0;
	if (made->recent == NULL)
		error_set_memory(error);
	copy_sorter_free(made);
	*sorter = NULL;
	return -1;
}

void copy_sorter_free(struct copy_sorter *sorter)
{
	if (sorter == NULL)
		return;
	line_sorter_free(sorter->lines);
	free(sorter->recent);
	free(sorter->line);
	pthread_mutex_destroy(&sorter->lock);
	free(sorter);
}

/* ---- Adding ---- */

/* Can the content be compared and the name be changed on this host? */
static bool is_within_reach(const struct copy_sorter *sorter, const struct find_file *file)
{
	return file->is_local && !file->is_stream && find_file_bytes(file) > 0 &&
	       (sorter->with_members || !row_is_inside(file->compressed_size_bytes));
}

/* Was it added recently? The caller holds the lock. */
static bool is_recent(struct copy_sorter *sorter, const struct find_file *file)
{
	struct recent_file *recent =
		&sorter->recent[read_big_endian(file->path_hash, 8) % RECENT_FILES];
	bool is_known = recent->is_taken &&
			memcmp(recent->path_hash, file->path_hash, PATH_HASH_SIZE) == 0;

	recent->is_taken = true;
	memcpy(recent->path_hash, file->path_hash, PATH_HASH_SIZE);
	return is_known;
}

/* The caller holds the lock. */
static int add_file(struct copy_sorter *sorter, const struct find_file *file,
		    struct simhash_error *error)
{
	/* The index has the inode of the archive, which is no name of its members. */
	bool is_inside = row_is_inside(file->compressed_size_bytes);
	const struct copy_numbers numbers = {.mtime_ns = file->mtime_ns,
					     .archive_bytes = file->compressed_size_bytes,
					     .device = (uint64_t)file->device,
					     .inode = is_inside ? 0 : (uint64_t)file->inode};
	const char *path = find_file_path(file);
	size_t path_size = strlen(path) + 1, size = CONTENT_BYTES + path_size + sizeof numbers;
	char *line;

	if (is_recent(sorter, file))
		return 0;
	if (array_reserve(&sorter->line, &sorter->line_capacity, size, 1, error) != 0)
		return -1;
	line = sorter->line;
	write_big_endian((uint8_t *)line, SIZE_BYTES,
			 (uint64_t)(INT64_MAX - find_file_bytes(file)));
	memcpy(line + SIZE_BYTES, file->content_hash, KEEP_HASH_SIZE);
	memcpy(line + CONTENT_BYTES, path, path_size);
	memcpy(line + CONTENT_BYTES + path_size, &numbers, sizeof numbers);
	return line_sorter_add(sorter->lines, 0, line, size, error);
}

int copy_sorter_add(struct copy_sorter *sorter, const struct find_file *file,
		    struct simhash_error *error)
{
	int status;

	if (!is_within_reach(sorter, file))
		return 0;
	pthread_mutex_lock(&sorter->lock);
	status = add_file(sorter, file, error);
	pthread_mutex_unlock(&sorter->lock);
	return status;
}

/* ---- Passing on ---- */

/* The lines of one content, one after another. */
struct gathering {
	copies_fn *each;
	void *context;
	char *bytes;
	size_t used, capacity;
	size_t *ends; /* the end of each line */
	size_t count, end_capacity;
	struct keep_file *files;
	size_t file_capacity;
};

static struct keep_file file_of(const char *line)
{
	const char *path = line + CONTENT_BYTES;
	struct keep_file file = {.path = path};
	struct copy_numbers numbers;

	memcpy(&numbers, path + strlen(path) + 1, sizeof numbers);
	file.size_bytes = INT64_MAX - (int64_t)read_big_endian((const uint8_t *)line, SIZE_BYTES);
	memcpy(file.hash, line + SIZE_BYTES, KEEP_HASH_SIZE);
	file.mtime_ns = numbers.mtime_ns;
	file.archive_bytes = numbers.archive_bytes;
	file.device = numbers.device;
	file.inode = numbers.inode;
	return file;
}

static int end_content(struct gathering *g, struct simhash_error *error)
{
	size_t count = g->count;

	g->used = g->count = 0;
	if (count == 0)
		return 0;
	if (array_reserve(&g->files, &g->file_capacity, count, sizeof *g->files, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		g->files[i] = file_of(g->bytes + (i == 0 ? 0 : g->ends[i - 1]));
	return g->each(g->context, g->files, count, error);
}

static int take_line(void *context, const char *line, size_t size, struct simhash_error *error)
{
	struct gathering *g = context;
	size_t last = g->count < 2 ? 0 : g->ends[g->count - 2];

	if (g->count > 0 && g->used - last == size && memcmp(g->bytes + last, line, size) == 0)
		return 0; /* the same file again */
	if (g->count > 0 && memcmp(g->bytes, line, CONTENT_BYTES) != 0 &&
	    end_content(g, error) != 0)
		return -1;
	if (array_reserve(&g->bytes, &g->capacity, g->used + size, 1, error) != 0 ||
	    array_reserve(&g->ends, &g->end_capacity, g->count + 1, sizeof *g->ends, error) != 0)
		return -1;
	memcpy(g->bytes + g->used, line, size);
	g->used += size;
	g->ends[g->count++] = g->used;
	return 0;
}

int copy_sorter_each(struct copy_sorter *sorter, copies_fn *each, void *context,
		     struct simhash_error *error)
{
	struct gathering g = {.each = each, .context = context};
	int status = line_sorter_write(sorter->lines, take_line, &g, error);

	if (status == 0)
		status = end_content(&g, error);
	free(g.files);
	free(g.ends);
	free(g.bytes);
	return status;
}

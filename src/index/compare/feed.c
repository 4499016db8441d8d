/*
 * Collects files and rows in batches, pushes them to the scanners, and calls all scanners to help
 * with a large file.
 * SPDX-License-Identifier: MIT
 */
#include "index/compare/feed.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/disk.h"
#include "index/work/hard_links.h"
#include "index/work/lanes.h"
#include "index/work/scanners.h"
#include "scan/command/filter_commands.h"
#include "scan/file/shared_scan.h"
#include "store/open/store.h"

/* Return the collected batch, which the caller then owns; NULL if it is empty. */
static struct batch *take_gathered(struct feed *feed)
{
	struct batch *batch = feed->batch, *moved;

	if (batch == NULL ||
	    (batch->count == 0 && batch->removed_count == 0 && batch->relinked_count == 0))
		return NULL;
	moved = batch_move(batch);
	if (moved == batch)
		feed->batch = NULL;
	return moved;
}

void feed_flush(struct feed *feed)
{
	struct batch *batch = take_gathered(feed);

	if (batch != NULL)
		lanes_push(&feed->scanners->lanes, feed->lane, batch);
}

void feed_release(struct feed *feed)
{
	batch_free(feed->batch);
	feed->batch = NULL;
}

/* Ask each other thread to help with a file. If memory is short, some are not asked. */
static void call_helpers(struct scanners *scanners, struct shared_scan *shared, unsigned helpers)
{
	for (unsigned i = 0; i < helpers; i++) {
		struct batch *call = batch_new(0);
		if (call == NULL) {
			shared_scan_drop(shared);
			continue;
		}
		call->shared = shared;
		lanes_push(&scanners->lanes, NULL, call);
	}
}

/* Push the batch of a large file. All threads scan a very large file together. */
static void push_large(struct scanners *scanners, struct batch *batch)
{
	const struct task *task = &batch->tasks[0];
	unsigned helpers = scanners->resources->threads - 1;
	struct shared_scan *shared = NULL;

	if (batch->size_bytes >= SHARED_FROM && helpers > 0 && !task->found.is_inflated &&
	    !task->found.looks_only && (task->names.link == NULL || task->names.is_leader))
		shared = shared_scan_new(helpers + 1);
	batch->shared = shared;
	lanes_push(&scanners->lanes, NULL, batch);
	if (shared != NULL)
		call_helpers(scanners, shared, helpers);
}

static void push_largest(struct scanners *scanners)
{
	struct batch *batch;

	while ((batch = largest_take(&scanners->largest)) != NULL)
		push_large(scanners, batch);
}

void feed_end(struct scanners *scanners)
{
	struct batch *first = largest_take(&scanners->largest), *mark = NULL;

	if (first == NULL)
		return;
	if (!lanes_have_files(&scanners->lanes))
		mark = batch_new(0);
	if (mark != NULL) {
		mark->is_end_of_many = true;
		lanes_push(&scanners->lanes, NULL, mark);
	}
	push_large(scanners, first);
	push_largest(scanners);
}

void feed_limit_directories(struct feed *feed, unsigned max)
{
	if (directory_open_count() < max)
		return;
	feed_flush(feed);
	push_largest(feed->scanners);
	lanes_wait(&feed->scanners->lanes);
}

/* ---- The disk of a file ---- */

/* A command may take long even for a small file, so the file gets its own batch. */
static bool is_filtered(const struct feed *feed, const struct found_file *file)
{
	const struct filter_commands *filters = feed->scanners->request->filters;
	const struct bytes name = {file->name, file->name_size};

	return filters != NULL && !file->is_inflated && filter_commands_find(filters, name) != NULL;
}

/* Return the lane of a file, or NULL. */
static struct lane *lane_of(struct feed *feed, const struct directory *directory,
			    const struct found_file *file)
{
	/* A command is expected to take longer than the disk. */
	if (is_filtered(feed, file))
		return NULL;
	if (!feed->has_device || feed->device != file->device) {
		feed->device_lane = lanes_find(&feed->scanners->lanes, directory->fd, file->device);
		feed->device = file->device;
		feed->has_device = true;
	}
	return feed->device_lane;
}

/* A batch has files of one lane. */
static void choose_lane(struct feed *feed, struct lane *lane)
{
	if (feed->lane != lane)
		feed_flush(feed);
	feed->lane = lane;
}

/* Find the place of a file for the order of its lane, unless the files of the lane are cached. */
static void place_task(const struct feed *feed, const struct found_file *file, struct task *task)
{
	int fd = task->found.directory->fd;
	const char *name = task->found.open_name;
	bool follow = feed->scanners->request->follow;

	task->found.place = (struct task_place){.device = file->device, .inode = file->inode};
	/* Closing a file of the index would remove the locks on it. */
	if (file->size_bytes == 0 ||
	    store_is_own_file(feed->scanners->own, name, file->device, file->inode))
		return;
	if (lane_is_new(feed->lane))
		lane_expect(feed->lane, disk_has_cached(fd, name, follow));
	if (!lane_is_cached(feed->lane))
		task->found.place.offset = disk_offset(fd, name, follow);
}

static struct batch *need_batch(struct feed *feed, struct simhash_error *error)
{
	if (feed->batch == NULL && (feed->batch = batch_new(BATCH_TASKS)) == NULL)
		error_set_memory(error);
	return feed->batch;
}

/* Is the batch full, or is there enough work in it? */
static void flush_if_full(struct feed *feed)
{
	const struct batch *batch = feed->batch;

	if (batch->count == batch->capacity || batch->size_bytes >= BATCH_BYTES ||
	    batch->removed_count == BATCH_TASKS || batch->relinked_count == BATCH_TASKS)
		feed_flush(feed);
}

/* Append a task to a batch with room; NULL if memory is short. */
static struct task *append_task(const struct feed *feed, struct directory *directory,
				const struct found_file *file)
{
	struct batch *batch = feed->batch;
	struct bytes name = {file->name, file->name_size}, inner = inner_name(name);
	size_t own_size = own_name_size(name);
	const char *extension;
	size_t extension_size = simhash_extension(inner.data, inner.size, &extension);
	char *copy = malloc(name.size + 1 + own_size + 1 + extension_size);
	struct task *task;
	struct file_row *row;

	if (copy == NULL)
		return NULL;
	task = batch_add(batch);
	row = &task->row;
	task->found.name = copy;
	memcpy(task->found.name, name.data, name.size + 1);
	task->found.open_name = task->found.name + name.size + 1;
	memcpy(task->found.open_name, name.data, own_size);
	task->found.open_name[own_size] = '\0';
	copy = task->found.open_name + own_size + 1;
	ascii_lower_copy(copy, extension, extension_size);
	directory_hold(directory);
	task->found.directory = directory;
	task->found.is_inflated = file->is_inflated;
	task->found.is_others = file->is_others;
	task->found.is_unchanged = file->is_unchanged;
	task->found.looks_only = file->looks_only;
	task->known.has_members = file->had_members;
	task->known.has_sketch = file->had_sketch;
	task->known.kinds = file->kinds;
	task->known.filter = file->filter;
	task->known.lacks_text = file->lacked_text;
	task->known.lacks = file->lacks;
	task->known.has_content = file->known_content != NULL;
	if (task->known.has_content)
		memcpy(task->known.content, file->known_content, sizeof task->known.content);
	task->known.has_right = file->right != NULL;
	if (task->known.has_right)
		task->known.right = *file->right;
	task->found.size_bytes = file->size_bytes;
	task->found.links = recorded_links(file, feed->scanners->request->follow);
	memcpy(row->path_hash, file->path_hash, PATH_HASH_SIZE);
	row->directory = (struct bytes){directory->path, directory->path_size};
	row->name = (struct bytes){task->found.name, file->name_size};
	row->extension = (struct bytes){copy, extension_size};
	batch->size_bytes += file->size_bytes;
	return task;
}

/* Push the batch of a large file, or keep it and push a smaller one. */
static void push_or_keep(struct feed *feed)
{
	struct batch *batch = largest_keep(&feed->scanners->largest, take_gathered(feed));

	if (batch != NULL)
		push_large(feed->scanners, batch);
}

int feed_scan(struct feed *feed, struct directory *directory, const struct found_file *file,
	      struct simhash_error *error)
{
	struct lane *lane = lane_of(feed, directory, file);
	bool is_large = file->size_bytes >= BATCH_BYTES && (lane == NULL || lane_is_cached(lane));
	struct task *task;

	if (atomic_load_explicit(feed->scanners->resources->stop, memory_order_relaxed))
		return error_set(error, ERROR_STOPPED, "stopped");
	choose_lane(feed, lane);
	if (is_large)
		feed_flush(feed);
	if (need_batch(feed, error) == NULL)
		return -1;
	task = append_task(feed, directory, file);
	if (task == NULL)
		return error_set_memory(error);
	if (lane != NULL)
		place_task(feed, file, task);
	if (!file->looks_only)
		hard_links_enter(feed->scanners->links, file, task);
	if (is_large)
		push_or_keep(feed);
	else if (is_filtered(feed, file))
		feed_flush(feed);
	else
		flush_if_full(feed);
	return 0;
}

int feed_move(struct feed *feed, struct directory *directory, const struct found_file *file,
	      const struct file_row *row, const uint8_t *left, struct simhash_error *error)
{
	struct task *task;

	if (atomic_load_explicit(feed->scanners->resources->stop, memory_order_relaxed))
		return error_set(error, ERROR_STOPPED, "stopped");
	if (need_batch(feed, error) == NULL)
		return -1;
	task = append_task(feed, directory, file);
	if (task == NULL)
		return error_set_memory(error);
	feed->batch->size_bytes -= file->size_bytes; /* nothing is read */
	row_take_file(&task->row, row);
	if (row->changed_ns != 0) /* renaming changed the status time */
		task->row.changed_ns = file->changed_ns;
	/* A member always has the links of its row, which is 1, regardless of its archive. */
	task->row.links = is_inside_directory(task->row.directory) ? row->links : task->found.links;
	task->result.is_moved = true;
	task->known.leaves = left != NULL;
	if (left != NULL)
		memcpy(task->known.left_hash, left, PATH_HASH_SIZE);
	flush_if_full(feed);
	return 0;
}

int feed_remove(struct feed *feed, const uint8_t hash[PATH_HASH_SIZE], struct simhash_error *error)
{
	struct batch *batch = need_batch(feed, error);
	size_t capacity = batch == NULL || batch->removed == NULL ? 0 : BATCH_TASKS;

	if (batch == NULL || array_reserve(&batch->removed, &capacity, BATCH_TASKS,
					   sizeof *batch->removed, error) != 0)
		return -1;
	memcpy(batch->removed[batch->removed_count++], hash, PATH_HASH_SIZE);
	flush_if_full(feed);
	return 0;
}

int feed_relink(struct feed *feed, const struct relinked_file *file, struct simhash_error *error)
{
	struct batch *batch = need_batch(feed, error);
	size_t capacity = batch == NULL || batch->relinked == NULL ? 0 : BATCH_TASKS;

	if (batch == NULL || array_reserve(&batch->relinked, &capacity, BATCH_TASKS,
					   sizeof *batch->relinked, error) != 0)
		return -1;
	batch->relinked[batch->relinked_count++] = *file;
	flush_if_full(feed);
	return 0;
}

/*
 * Batches of files.
 * SPDX-License-Identifier: MIT
 */
#include "index/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "scan/shared_scan.h"

struct batch *batch_new(size_t capacity)
{
	struct batch *batch = calloc(1, sizeof *batch + capacity * sizeof *batch->tasks);

	if (batch != NULL)
		batch->capacity = capacity;
	return batch;
}

void batch_free(struct batch *batch)
{
	if (batch == NULL)
		return;
	for (size_t i = 0; i < batch->count; i++) {
		directory_drop(batch->tasks[i].directory);
		free(batch->tasks[i].name);
		row_sketches_drop(batch->tasks[i].row.sketches);
	}
	shared_scan_drop(batch->shared);
	free(batch->removed);
	free(batch->relinked);
	free(batch);
}

struct task *batch_scan(struct batch *batch, struct directory *directory,
			const struct found_file *file)
{
	struct task *task = &batch->tasks[batch->count];
	struct file_row *row = &task->row;
	struct bytes name = {file->name, file->name_size}, inner = inner_name(name);
	size_t own_size = own_name_size(name);
	const char *extension;
	size_t extension_size = simhash_extension(inner.data, inner.size, &extension);
	char *copy;

	task->name = malloc(name.size + 1 + own_size + 1 + extension_size);
	if (task->name == NULL)
		return NULL;
	memcpy(task->name, name.data, name.size + 1);
	task->open_name = task->name + name.size + 1;
	memcpy(task->open_name, name.data, own_size);
	task->open_name[own_size] = '\0';
	copy = task->open_name + own_size + 1;
	ascii_lower_copy(copy, extension, extension_size);
	directory_hold(directory);
	task->directory = directory;
	task->batch = batch;
	task->is_inflated = file->is_inflated;
	task->size_bytes = file->size_bytes;
	task->links = (int64_t)file->links;
	memcpy(row->path_hash, file->path_hash, PATH_HASH_SIZE);
	row->directory = (struct bytes){directory->path, directory->path_size};
	row->name = (struct bytes){task->name, file->name_size};
	row->extension = (struct bytes){copy, extension_size};
	batch->size_bytes += file->size_bytes;
	batch->count++;
	return task;
}

int batch_remove(struct batch *batch, const uint8_t hash[PATH_HASH_SIZE])
{
	if (batch->removed == NULL)
		batch->removed = malloc(BATCH_TASKS * sizeof *batch->removed);
	if (batch->removed == NULL)
		return -1;
	memcpy(batch->removed[batch->removed_count++], hash, PATH_HASH_SIZE);
	return 0;
}

int batch_relink(struct batch *batch, const struct relinked_file *file)
{
	if (batch->relinked == NULL)
		batch->relinked = malloc(BATCH_TASKS * sizeof *batch->relinked);
	if (batch->relinked == NULL)
		return -1;
	batch->relinked[batch->relinked_count++] = *file;
	return 0;
}

bool batch_is_full(const struct batch *batch)
{
	return (batch->count > 0 && batch->count == batch->capacity) ||
	       batch->size_bytes >= BATCH_BYTES || batch->removed_count == BATCH_TASKS ||
	       batch->relinked_count == BATCH_TASKS;
}

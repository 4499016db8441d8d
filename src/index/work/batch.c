/*
 * Allocates, fills, moves and frees batches.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/batch.h"

#include <stdlib.h>
#include <string.h>

#include "scan/file/shared_scan.h"

struct batch *batch_new(size_t capacity)
{
	struct batch *batch = malloc(sizeof *batch + capacity * sizeof *batch->tasks);

	if (batch != NULL) {
		memset(batch, 0, sizeof *batch);
		batch->capacity = capacity;
	}
	return batch;
}

struct task *batch_add(struct batch *batch)
{
	struct task *task = &batch->tasks[batch->count++];

	memset(task, 0, sizeof *task);
	task->batch = batch;
	return task;
}

struct batch *batch_move(struct batch *batch)
{
	struct batch *moved = batch_new(batch->count);
	size_t capacity = batch->capacity;

	if (moved == NULL)
		return batch;
	memcpy(moved, batch, sizeof *batch + batch->count * sizeof *batch->tasks);
	moved->capacity = moved->count;
	for (size_t i = 0; i < moved->count; i++)
		moved->tasks[i].batch = moved;
	memset(batch, 0, sizeof *batch);
	batch->capacity = capacity;
	return moved;
}

void batch_free(struct batch *batch)
{
	if (batch == NULL)
		return;
	for (size_t i = 0; i < batch->count; i++) {
		directory_drop(batch->tasks[i].found.directory);
		free(batch->tasks[i].found.name);
		row_sketches_drop(batch->tasks[i].row.sketches);
	}
	shared_scan_drop(batch->shared);
	free(batch->removed);
	free(batch->relinked);
	free(batch->kept);
	free(batch);
}

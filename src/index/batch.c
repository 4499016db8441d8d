/*
 * Batches of files.
 * SPDX-License-Identifier: MIT
 */
#include "index/batch.h"

#include <stdlib.h>

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

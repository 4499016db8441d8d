/*
 * Keeps the largest files in an unsorted array, because there are few of them.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/largest.h"

void largest_init(struct largest *largest, unsigned max)
{
	pthread_mutex_init(&largest->mutex, NULL);
	largest->count = 0;
	largest->max = max < LARGEST_MAX ? max : LARGEST_MAX;
}

void largest_release(struct largest *largest)
{
	pthread_mutex_destroy(&largest->mutex);
}

struct batch *largest_keep(struct largest *largest, struct batch *batch)
{
	pthread_mutex_lock(&largest->mutex);
	if (largest->count < largest->max) {
		largest->batches[largest->count++] = batch;
		batch = NULL;
	} else {
		for (unsigned i = 0; i < largest->count; i++) {
			struct batch *kept = largest->batches[i];
			if (kept->size_bytes >= batch->size_bytes)
				continue;
			largest->batches[i] = batch;
			batch = kept;
		}
	}
	pthread_mutex_unlock(&largest->mutex);
	return batch;
}

struct batch *largest_take(struct largest *largest)
{
	struct batch *batch = NULL;
	unsigned at = 0;

	pthread_mutex_lock(&largest->mutex);
	for (unsigned i = 1; i < largest->count; i++)
		if (largest->batches[i]->size_bytes > largest->batches[at]->size_bytes)
			at = i;
	if (largest->count > 0) {
		batch = largest->batches[at];
		largest->batches[at] = largest->batches[--largest->count];
	}
	pthread_mutex_unlock(&largest->mutex);
	return batch;
}

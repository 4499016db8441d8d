/*
 * Keeps the largest files of a first load, which are scanned last. They have most of the bytes and
 * few rows, so the indexes of the earlier rows are built while these files are read.
 *
 *     batch = largest_keep(&largest, batch);          // any thread
 *     if (batch != NULL)
 *             ... scan it now
 *     ...
 *     while ((batch = largest_take(&largest)) != NULL)
 *             ... scan it
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_LARGEST_H
#define SIMHASH_INDEX_LARGEST_H

#include <pthread.h>

#include "index/work/batch.h"

#define LARGEST_MAX 256

struct largest {
	pthread_mutex_t mutex;
	struct batch *batches[LARGEST_MAX]; /* each has one file, whose directory stays open */
	unsigned count, max;
};

/* Prepare to keep up to `max` files, at most LARGEST_MAX. If `max` is 0, no file is kept. */
void largest_init(struct largest *largest, unsigned max);
void largest_release(struct largest *largest); /* all batches must have been taken */

/*
 * Keep the batch of a file. If there is no room, returns the batch of the smallest file, otherwise
 * NULL.
 */
struct batch *largest_keep(struct largest *largest, struct batch *batch);

/* Take the batch of the largest file; NULL if none is left. */
struct batch *largest_take(struct largest *largest);

#endif

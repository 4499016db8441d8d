/*
 * The largest files of a first load, which are scanned after all others. They have most of the
 * bytes and few rows, so the indexes of the rows before them are built while they are read.
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
	struct batch *batches[LARGEST_MAX]; /* of one file each; a directory stays open for it */
	unsigned count, max;
};

/* To keep up to `max` files, at most LARGEST_MAX; with 0 none is kept. */
void largest_init(struct largest *largest, unsigned max);
void largest_release(struct largest *largest); /* none is left */

/* Keep the batch of a file. Returns the one for which there is no room: the smallest, or NULL. */
struct batch *largest_keep(struct largest *largest, struct batch *batch);

/* Take the largest one; NULL when none is left. */
struct batch *largest_take(struct largest *largest);

#endif

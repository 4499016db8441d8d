/*
 * Runs the scanners: threads that take batches of tasks, read each file, and pass the batch with
 * its rows to the writer.
 *
 *     struct scanners scanners = {.request = request, .resources = resources, ...};
 *     scanners_start(&scanners, error);
 *     ... feeds push batches
 *     lanes_end(&scanners.lanes);                  // no more batches
 *     ... the writer writes
 *     scanners_join(&scanners);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_SCANNERS_H
#define SIMHASH_INDEX_SCANNERS_H

#include <pthread.h>

#include "base/threads/threads.h"
#include "index/walk/failures.h"
#include "index/work/batch.h"
#include "index/work/lanes.h"
#include "index/work/largest.h"
#include "index/work/members.h"
#include "index/work/request.h"

struct hard_links;
struct writer;

struct scanners {
	/* Set by the caller; all are borrowed. */
	const struct index_request *request;
	const struct index_resources *resources;
	const struct store *own; /* the index, whose files are not scanned */
	struct hard_links *links;
	struct failures *failures;
	struct writer *writer;
	unsigned kept_max; /* the number of largest files to scan last */

	struct members_use members; /* set at the start */
	/* The part of request->max_inflated_total_bytes that is not used yet. */
	atomic_llong inflated_left;
	struct lanes lanes; /* the batches that the walkers push */
	struct largest largest;
	struct thread_group threads;
};

/*
 * Start up to resources->threads scanners; each is a producer of the writer. Join them even if none
 * could be started (-1).
 */
int scanners_start(struct scanners *scanners, struct simhash_error *error);
void scanners_join(struct scanners *scanners);

#endif

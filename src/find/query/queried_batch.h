/*
 * Searches for several requested files together, in one pass through the index and with several
 * threads. The results and their order are the same as if each file was searched alone.
 *
 *     queried_batch_init(&batch, finder, &report);
 *     queried_batch_add(&batch, &asked, &error);      // until it is full
 *     queried_batch_search(&batch, &error);           // reports all pairs, and empties the batch
 *     queried_batch_release(&batch);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_QUERIED_BATCH_H
#define SIMHASH_FIND_QUERIED_BATCH_H

#include "find/query/queried_keys.h"
#include "find/query/queried_report.h"

struct queried_batch {
	const struct finder *finder;
	struct queried_report *report;
	struct queried_file *files;
	size_t count, capacity;
	size_t pieces_bytes; /* of the stored pieces of these files */
	/* The limit for keys in memory; there is no limit for a single file. */
	size_t keys_max;
	struct find_stores stores; /* opened when needed, and kept for the next search */
};

void queried_batch_init(struct queried_batch *batch, const struct finder *finder,
			struct queried_report *report);
void queried_batch_release(struct queried_batch *batch);

/* Takes over the file. Leaves out an empty file, unless the request includes empty files. */
int queried_batch_add(struct queried_batch *batch, struct queried_file *queried,
		      struct simhash_error *error);
bool queried_batch_is_full(const struct queried_batch *batch);

int queried_batch_search(struct queried_batch *batch, struct simhash_error *error);

#endif

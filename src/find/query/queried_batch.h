/*
 * Searches for several requested files together, in one passage through the index and with several
 * threads. Results and their order are the same as from one search after another.
 *
 *     queried_batch_init(&batch, finder, &report);
 *     queried_batch_add(&batch, &asked, &error);      // until it is full
 *     queried_batch_search(&batch, &error);           // reports the pairs of all, and empties it
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
	size_t keys_max;	   /* of rows that are gathered at once; for one file any number */
	struct find_stores stores; /* opened when they are needed, and kept for the next search */
};

void queried_batch_init(struct queried_batch *batch, const struct finder *finder,
			struct queried_report *report);
void queried_batch_release(struct queried_batch *batch);

/* Takes over the file. An empty one is left out, unless the request includes them. */
int queried_batch_add(struct queried_batch *batch, struct queried_file *queried,
		      struct simhash_error *error);
bool queried_batch_is_full(const struct queried_batch *batch);

int queried_batch_search(struct queried_batch *batch, struct simhash_error *error);

#endif

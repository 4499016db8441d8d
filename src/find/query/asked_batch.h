/*
 * Files asked for that are searched for together: by one passage through the index, and by several
 * threads. What is reported, and in which order, is what one search after another would report.
 *
 *     asked_batch_init(&batch, finder, &report);
 *     asked_batch_add(&batch, &asked, &error);      // until it is full
 *     asked_batch_search(&batch, &error);           // reports the pairs of all, and empties it
 *     asked_batch_release(&batch);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ASKED_BATCH_H
#define SIMHASH_FIND_ASKED_BATCH_H

#include "find/query/asked_keys.h"
#include "find/query/asked_report.h"

struct asked_batch {
	const struct finder *finder;
	struct asked_report *report;
	struct asked_file *files;
	size_t count, capacity;
	size_t keys_max;	   /* of rows that are gathered at once; for one file any number */
	struct find_stores stores; /* opened when they are needed, and kept for the next search */
};

void asked_batch_init(struct asked_batch *batch, const struct finder *finder,
		      struct asked_report *report);
void asked_batch_release(struct asked_batch *batch);

/* Takes over the file. An empty one is left out, unless the request includes them. */
int asked_batch_add(struct asked_batch *batch, struct asked_file *asked,
		    struct simhash_error *error);
bool asked_batch_is_full(const struct asked_batch *batch);

int asked_batch_search(struct asked_batch *batch, struct simhash_error *error);

#endif

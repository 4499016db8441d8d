/*
 * Files asked for that are searched for together: by one passage through the index, and by several
 * threads. What is reported, and in which order, is what one search after another would report.
 *
 *     crowd_init(&crowd, finder, &report);
 *     crowd_add(&crowd, &asked, &error);      // until it is full
 *     crowd_search(&crowd, &error);           // reports the pairs of all, and empties it
 *     crowd_release(&crowd);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_CROWD_H
#define SIMHASH_FIND_CROWD_H

#include "find/asked_report.h"
#include "find/vicinity.h"

struct crowd {
	const struct finder *finder;
	struct asked_report *report;
	struct asked_file *files;
	size_t count, capacity;
	size_t keys_max;	   /* of rows that are gathered at once; for one file any number */
	struct find_stores stores; /* opened when they are needed, and kept for the next search */
};

void crowd_init(struct crowd *crowd, const struct finder *finder, struct asked_report *report);
void crowd_release(struct crowd *crowd);

/* Takes over the file. An empty one is left out, unless the request includes them. */
int crowd_add(struct crowd *crowd, struct asked_file *asked, struct simhash_error *error);
bool crowd_is_full(const struct crowd *crowd);

int crowd_search(struct crowd *crowd, struct simhash_error *error);

#endif

/*
 * The paths that a run could not read. They are counted for each root and reported to the caller. A
 * path that the walk could not read is also kept until the walk of its root has ended: nothing at
 * or below such a path may be removed from the index, since the walk cannot know its content.
 *
 * Any thread may report and add.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_FAILURES_H
#define SIMHASH_INDEX_FAILURES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "simhash.h"

/* Called with each path that could not be read, from any thread. */
typedef void failure_fn(void *context, struct bytes path, int system_errno);

/* The same with a text in the place of an errno. */
typedef void failure_text_fn(void *context, struct bytes path, const char *text);

struct failures {
	failure_fn *report;
	failure_text_fn *report_text;
	void *context;
	unsigned roots;
	atomic_ullong *counts; /* one for each root */
	atomic_ullong left_out;
	pthread_mutex_t mutex; /* of all below */
	char **unread;
	size_t unread_count, unread_capacity;
	bool lacks_some; /* memory was short: `unread` is incomplete */
};

int failures_init(struct failures *failures, unsigned roots, failure_fn *report, void *context,
		  struct simhash_error *error);
void failures_release(struct failures *failures);

/*
 * Report a path below a root, and count it as a failure, or as left out where
 * container_is_left_out says so.
 */
void failures_report(struct failures *failures, unsigned root, struct bytes path, int system_errno);

void failures_report_text(struct failures *failures, unsigned root, struct bytes path,
			  const char *text);

/* The same for what the walk could not read: DIRECTORY/NAME, or DIRECTORY for an empty name. */
void failures_add_unread(struct failures *failures, unsigned root, struct bytes directory,
			 const char *name, int system_errno);

/* The same for a directory that is not entered, for a reason that is no errno. */
void failures_add_unentered(struct failures *failures, unsigned root, struct bytes directory,
			    const char *text);

/* How many failures there were below all roots. */
uint64_t failures_total(const struct failures *failures);

/* Forget what could not be read: the next root begins with nothing. */
void failures_forget_unread(struct failures *failures);

/* ---- Once the walk of a root has ended ---- */

/* Is this path at or below one that could not be read? */
bool failures_cover(const struct failures *failures, struct bytes path);

#endif

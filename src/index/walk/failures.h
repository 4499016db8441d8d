/*
 * Records the paths that a run could not read. They are counted for each root and reported to the
 * caller. A path that the walk could not read is also stored until the walk of its root has ended.
 * Nothing at or below such a path may be removed from the index, because the walk cannot know its
 * content.
 *
 * Any thread may report and add failures.
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
#include "base/data/pair_set.h"
#include "simhash.h"

/* Called with each path that could not be read, from any thread. */
typedef void failure_fn(void *context, struct bytes path, int system_errno);

/* The same with a text in place of an errno. */
typedef void failure_text_fn(void *context, struct bytes path, const char *text);

struct failures {
	failure_fn *report;
	failure_text_fn *report_text;
	void *context;
	unsigned roots;
	atomic_ullong *counts; /* one count for each root */
	atomic_ullong left_out;
	pthread_mutex_t mutex; /* for all members below */
	char **unread;
	size_t unread_count, unread_capacity;
	bool lacks_some;      /* `unread` is incomplete, because memory was short */
	struct pair_set told; /* the hashes of failures that are reported once */
};

int failures_init(struct failures *failures, unsigned roots, failure_fn *report, void *context,
		  struct simhash_error *error);
void failures_release(struct failures *failures);

/*
 * Report a path below a root, and count it as a failure; or as left out, if container_is_left_out
 * says so.
 */
void failures_report(struct failures *failures, unsigned root, struct bytes path, int system_errno);

/*
 * The same for a file that is read for several rows, such as a gzip file: report each failure of a
 * path once. Without memory it may be reported again.
 */
void failures_report_once(struct failures *failures, unsigned root, struct bytes path,
			  int system_errno);

void failures_report_text(struct failures *failures, unsigned root, struct bytes path,
			  const char *text);

/*
 * The same for a path that the walk could not read: DIRECTORY/NAME, or DIRECTORY if the name is
 * empty.
 */
void failures_add_unread(struct failures *failures, unsigned root, struct bytes directory,
			 const char *name, int system_errno);

/* The same for a directory that is not entered, with a reason that is not an errno. */
void failures_add_unentered(struct failures *failures, unsigned root, struct bytes directory,
			    const char *text);

/* Return the number of failures below all roots. */
uint64_t failures_total(const struct failures *failures);

/* Forget the unreadable paths, before the next root. */
void failures_forget_unread(struct failures *failures);

/* ---- After the walk of a root ---- */

/* Is this path at or below a path that could not be read? */
bool failures_cover(const struct failures *failures, struct bytes path);

#endif

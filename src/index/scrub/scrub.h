/*
 * Verifies files: reads files that seem unchanged again, from the medium, and compares their hash
 * with the hash in the index (simhash --scrub). Least recently verified files come first.
 *
 *     status = scrub_files(&request, &resources, &summary, &error);
 *
 * A file that differs from its row in size or inode and modification time was changed by somebody,
 * and is left to the next run of simhash. A file with the modification time of its row, but with
 * another content, is damaged, or a program restored the time: it is entered in the table `damage`,
 * see store/rows/damage_rows.h. Its row keeps the right hash.
 *
 * The times of verification are committed every few seconds, so an interrupted run continues where
 * it stopped. Memory does not depend on the number of files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_SCRUB_H
#define SIMHASH_INDEX_SCRUB_H

#include <stdatomic.h>

#include "index/walk/progress.h"
#include "simhash.h"
#include "store/engine/location.h"
#include "store/rows/damage_rows.h"

struct scrub_request {
	struct store_location location;
	const struct simhash_tag_set *tag_set;
	const char *host;
	/* Only files at and below these absolute paths, with a terminating zero; none: all files of the host. */
	const struct bytes *tops;
	size_t top_count;
	double share;		  /* the part of the bytes to verify, 0 to 1 */
	int64_t time_ns;	  /* begin no further file after this time; 0: no limit */
	int64_t bytes_per_second; /* 0: no limit */
};

enum scrub_event {
	SCRUB_DAMAGED,	   /* with `damage` */
	SCRUB_RIGHT_AGAIN, /* the file was damaged, and its content is right again */
	SCRUB_UNREADABLE   /* with `system_errno`; also with `damage` if the medium is at fault */
};

/* Called by the thread of the caller. The members live until the function returns. */
struct scrub_report {
	enum scrub_event event;
	struct bytes path;
	const struct damage *damage; /* or NULL */
	int system_errno;
};
typedef void scrub_report_fn(void *context, const struct scrub_report *report);

struct scrub_resources {
	unsigned threads;
	struct index_progress *progress; /* or NULL */
	const atomic_bool *stop;
	scrub_report_fn *report;
	void *context;
};

struct scrub_summary {
	uint64_t verified;	    /* files whose content is right */
	uint64_t changed;	    /* files that somebody changed, moved or removed */
	uint64_t damaged, restored; /* by whether the status time has moved: see struct damage */
	uint64_t right_again;
	uint64_t failed;		 /* unreadable files */
	uint64_t bytes;			 /* the bytes that were read */
	uint64_t files_left, bytes_left; /* files that were not verified in this run */
	int64_t oldest_ns;		 /* the oldest verification of these; 0: none is left */
	double seconds;
	bool is_interrupted;
};

/*
 * Verify files. Errors: the errors of the index, SIMHASH_E_RANGE if it has no files of the host,
 * SIMHASH_E_MEMORY.
 */
int scrub_files(const struct scrub_request *request, const struct scrub_resources *resources,
		struct scrub_summary *summary, struct simhash_error *error);

#endif

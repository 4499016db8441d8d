/*
 * Copies an index to the same engine or another. Rows that the target already has are passed over.
 * So an interrupted copy continues at the same place, and a repeated copy brings only new rows.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_COPY_H
#define SIMHASH_INDEX_COPY_H

#include <stdbool.h>

#include "simhash.h"
#include "store/engine/location.h"

struct copy_options {
	struct store_location from, to;
	const atomic_bool *stop;
	/* Called with how many of `total` rows were compared, in pass 1, 2, ...; may be NULL. */
	void (*progress)(void *context, unsigned pass, uint64_t done, uint64_t total);
	void *context;
};

struct copy_summary {
	uint64_t rows;	 /* of the source */
	uint64_t copied; /* of these, written here */
	uint64_t newer;	 /* of these, scanned later in the target: kept as they are there */
	uint64_t others; /* only in the target, on the same hosts: kept, too */
	/*
	 * XXH3-64 of all columns of the rows that are the same, in order of tag set, host and path,
	 * as read from the source and from the target once all is written.
	 */
	uint64_t checksum_from, checksum_to;
	bool is_interrupted;
};

/*
 * Copy all rows, with their tag sets, hosts, directories and runs, then read both indexes again to
 * compare them. Ids of tag sets and hosts may differ between the two. Nothing is removed from the
 * target. Writing waits for a server that is gone as the locations say; reading does not, and what
 * was copied is passed over the next time.
 *
 * Errors: those of store_open, and SIMHASH_E_RANGE for two names of one index, and
 * where the source changes all the while.
 */
int index_copy(const struct copy_options *options, struct copy_summary *summary,
	       struct simhash_error *error);

#endif

/*
 * Copies an index to the same engine or another one. Rows that the target already has are skipped.
 * So an interrupted copy continues at the same place, and a repeated copy writes only new rows.
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
	/*
	 * Called with the number of compared rows, out of `total`, in pass 1, 2, ...; may be NULL.
	 */
	void (*progress)(void *context, unsigned pass, uint64_t done, uint64_t total);
	void *context;
};

struct copy_summary {
	uint64_t rows;	 /* the number of rows in the source */
	uint64_t copied; /* the number of these that were written */
	/* The number of these whose file was scanned later in the target, which keeps its row. */
	uint64_t newer;
	/* The number of rows that only the target has, on the same hosts; it keeps them. */
	uint64_t others;
	/*
	 * The XXH3-64 hash of all columns of the rows that are the same, in the order of tag set,
	 * host and path: as read from the source, and as read from the target after the copy.
	 */
	uint64_t checksum_from, checksum_to;
	bool is_interrupted;
};

/*
 * Copy all rows, with their tag sets, hosts, directories and runs, then read both indexes again to
 * compare them. The two indexes may have different ids for tag sets and hosts. Nothing is removed
 * from the target. If a connection is lost, writing waits as the location says. Reading does not
 * wait; the next copy skips the rows that were copied.
 *
 * Errors: the errors of store_open, and SIMHASH_E_RANGE if both locations are the same index or if
 * the source changes all the time.
 */
int index_copy(const struct copy_options *options, struct copy_summary *summary,
	       struct simhash_error *error);

#endif

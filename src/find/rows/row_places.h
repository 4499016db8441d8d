/*
 * Divides rows among several connections: places are ranges of the primary key, which threads take
 * one after another. A thread that has read the beginning of a range gives back the rest.
 *
 *     row_places_cut(&places, &hosts, threads, &error);
 *     while (row_places_take(&places, &place)) {
 *             ...                                     // at most place.most rows, in order
 *             row_places_end(&places, &place, &read, &error);
 *     }
 *     row_places_release(&places);
 *
 * So all threads have about the same work, no matter how the hashes are distributed. The rows of a
 * directory are close together, and the rest of a range is divided by the density of the rows that
 * were read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_ROW_PLACES_H
#define SIMHASH_FIND_ROW_PLACES_H

#include <pthread.h>

#include "store/names/name_list.h"
#include "store/rows/partitions.h"
#include "store/rows/row_reader.h"

struct row_places {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct row_place *items; /* the places that no thread has taken */
	size_t count, capacity;
	unsigned taken;	 /* the number of places taken and not ended */
	unsigned pieces; /* the number of pieces for the rest of a range */
};

/* The rows of a place that were read. */
struct read_rows {
	int64_t count;
	uint8_t first[PATH_HASH_SIZE], last[PATH_HASH_SIZE];
};

/*
 * Prepare all rows of an index with these hosts for some threads. Always release the places, also
 * after an error.
 */
int row_places_cut(struct row_places *places, const struct name_list *hosts, unsigned threads,
		   struct simhash_error *error);

/* Prepare all rows as one place. Always release the places, also after an error. */
int row_places_all(struct row_places *places, struct simhash_error *error);

/*
 * Use each list of partitions as a place. The lists must stay valid. Always release the places,
 * also after an error.
 */
int row_places_dealt(struct row_places *places, const struct partitions *partitions,
		     struct simhash_error *error);

/*
 * Waits while other threads may give back places. Returns false if none are left. Any thread may
 * call it.
 */
bool row_places_take(struct row_places *places, struct row_place *place);

/*
 * End a place that was taken: it was read up to the last row in `read`, or completely. Any thread
 * may call it.
 */
int row_places_end(struct row_places *places, const struct row_place *place,
		   const struct read_rows *read, struct simhash_error *error);

/*
 * The same after an error: another thread can read the rest. Returns -1 if this is impossible,
 * because the rows of several hosts are not sorted.
 */
int row_places_give_up(struct row_places *places, const struct row_place *place,
		       const struct read_rows *read, struct simhash_error *error);

void row_places_release(struct row_places *places);

#endif

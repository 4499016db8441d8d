/*
 * Where the rows lie that several connections read: ranges of the primary key, which threads take
 * one after another. Whoever has read one gives back what is left of it.
 *
 *     row_places_cut(&places, &hosts, threads, &error);
 *     while (row_places_take(&places, &place)) {
 *             ...                                     // at most place.most rows, in order
 *             row_places_end(&places, &place, &read, &error);
 *     }
 *     row_places_release(&places);
 *
 * So the work is even, whatever the hashes are: the rows of a directory lie close together, and what
 * is left of a range is cut by how close those were that have been read.
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
	struct row_place *items; /* that nobody has taken */
	size_t count, capacity;
	unsigned taken;	 /* and not ended */
	unsigned pieces; /* that what is left of a range is cut into */
};

/* Which rows of a place were read. */
struct read_rows {
	int64_t count;
	uint8_t first[PATH_HASH_SIZE], last[PATH_HASH_SIZE];
};

/* All rows of an index with these hosts, for some threads. To be released whatever this returns. */
int row_places_cut(struct row_places *places, const struct name_list *hosts, unsigned threads,
		   struct simhash_error *error);

/* All rows as one place. To be released whatever this returns. */
int row_places_all(struct row_places *places, struct simhash_error *error);

/* Each list of partitions as a place, and borrows it. To be released whatever this returns. */
int row_places_dealt(struct row_places *places, const struct partitions *partitions,
		     struct simhash_error *error);

/* Waits while others may give back places. False where there are none any more. Any thread. */
bool row_places_take(struct row_places *places, struct row_place *place);

/* A place that was taken has been read as far as `read` tells, or to its end. Any thread. */
int row_places_end(struct row_places *places, const struct row_place *place,
		   const struct read_rows *read, struct simhash_error *error);

/*
 * The same where reading has failed: what is left can be read by others. -1 where it cannot, since
 * the rows of several hosts come in any order.
 */
int row_places_give_up(struct row_places *places, const struct row_place *place,
		       const struct read_rows *read, struct simhash_error *error);

void row_places_release(struct row_places *places);

#endif

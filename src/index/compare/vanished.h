/*
 * Finds directories that the index has and the walk did not meet. Their rows are removed at the end
 * of a run if they have certainly vanished: every directory above them could be read, and a second
 * look finds nothing.
 *
 *     vanished_meet(&vanished, directory->hash, error);       // any walker, for each directory
 *     vanished_find(&vanished, store, scope, ...);            // after the walk of each root
 *     vanished_forget_met(&vanished);
 *     directory_list_remove(&vanished.found, ...);             // at the end of the run
 *     vanished_release(&vanished);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_VANISHED_H
#define SIMHASH_INDEX_VANISHED_H

#include <pthread.h>

#include "base/data/pair_set.h"
#include "index/walk/roots.h"
#include "store/write/forget.h"

struct vanished {
	pthread_mutex_t mutex;	     /* of `met` */
	struct pair_set met;	     /* hashes of the present root's directories */
	struct directory_list found; /* that are gone */
	bool follow;		     /* links, also to files */
	bool one_file_system;	     /* what is below others stays */
	char *gone; /* a path that was found to be gone last, with all below it; or NULL */
};

void vanished_init(struct vanished *vanished);
void vanished_release(struct vanished *vanished);

/* The walk has met a directory. */
int vanished_meet(struct vanished *vanished, const uint8_t hash[DIRECTORY_HASH_SIZE],
		  struct simhash_error *error);

/*
 * Find what has vanished below a root. A directory that cannot be looked for is reported and stays.
 */
int vanished_find(struct vanished *vanished, struct store *store, const struct row_scope *scope,
		  const struct root *root, struct failures *failures, struct simhash_error *error);

/* Forget what was met: the next root begins with nothing. */
void vanished_forget_met(struct vanished *vanished);

#endif

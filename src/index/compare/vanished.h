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
	pthread_mutex_t mutex;	     /* for `met` */
	struct pair_set met;	     /* hashes of the current root's directories */
	struct directory_list found; /* the directories that were removed */
	bool follow;		     /* follow symbolic links, also to files */
	bool one_file_system;	     /* keep rows on other file systems */
	/*
	 * The last path that was found to be missing; everything below it is also missing; or NULL.
	 */
	char *gone;
};

void vanished_init(struct vanished *vanished);
void vanished_release(struct vanished *vanished);

/* Record that the walk has met a directory. */
int vanished_meet(struct vanished *vanished, const uint8_t hash[DIRECTORY_HASH_SIZE],
		  struct simhash_error *error);

/*
 * Find the vanished directories below a root. If a directory cannot be checked, it is reported and
 * kept.
 */
int vanished_find(struct vanished *vanished, struct store *store, const struct row_scope *scope,
		  const struct root *root, struct failures *failures, struct simhash_error *error);

/* Forget the met directories, before the next root. */
void vanished_forget_met(struct vanished *vanished);

#endif

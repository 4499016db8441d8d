/*
 * Decides which files of a directory must be scanned and which of its rows removed.
 *
 * A file is unchanged when its row has the same size and modification time, and the row was made
 * well after that time: a file changed within the clock's tick of its scan would not show it. Its
 * inode must be the same, or one that the system may have made up: see inode_shows_exchange.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_RECONCILE_H
#define SIMHASH_INDEX_RECONCILE_H

#include "index/compare/feed.h"
#include "index/compare/put_aside.h"
#include "index/walk/chunk.h"
#include "index/walk/progress.h"
#include "store/row/file_row.h"

struct known_table;
struct store;

struct reconciler {
	struct store *store;	   /* for reading, this thread's own */
	struct known_table *table; /* of what was read ahead, shared by all threads; or NULL */
	struct row_scope scope;
	bool has_rows; /* the index has rows of this scope, to compare with */
	bool force;    /* scan unchanged files too */
	bool resemble; /* and those that have no resemblance sketch */
	bool inflates; /* the content of gzip files is among what is found */
	bool follow;
	struct put_aside *aside;   /* this thread's own; NULL: moved files are not looked for */
	struct failures *failures; /* told what cannot be looked at */
	struct index_progress *progress; /* or NULL */
	uint64_t unchanged;		 /* counted here */
	bool has_view;			 /* of the index, since it was asked something */
	unsigned decided;		 /* chunks since then */
	bool inodes_last;		 /* on this device: */
	uint64_t inodes_device;
};

/* Decide about the files of a chunk, and feed what is to be done. */
int reconcile_chunk(struct reconciler *reconciler, const struct chunk *chunk, struct feed *feed,
		    struct simhash_error *error);

/* Hold no view of the index while there is nothing to decide. */
void reconciler_rest(struct reconciler *reconciler);

#endif

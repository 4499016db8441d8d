/*
 * What must be scanned and what removed: the files of a directory against the
 * rows that the index has of it.
 *
 * A file is unchanged when its size and modification time are those of its
 * row, and the row was made well after that time: a file changed within the
 * clock's tick of its scan would not show it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_RECONCILE_H
#define SIMHASH_INDEX_RECONCILE_H

#include "index/walk.h"
#include "store/store.h"

struct index_progress;

struct reconciler {
	struct store *store; /* for reading, this thread's own */
	struct row_scope scope;
	bool is_first; /* the index has no rows of this scope: nothing to compare */
	bool force;    /* scan what is unchanged too */
	bool follow;
	uint64_t unchanged;		 /* counted here */
	struct index_progress *progress; /* or NULL */
	unsigned looked_up;		 /* directories since the view of the index was renewed */
	int (*scan)(void *context, struct directory *directory, const struct found_file *file,
		    struct simhash_error *error);
	/* Nothing has changed but how many links there are. */
	int (*relink)(void *context, const struct relinked_file *file, struct simhash_error *error);
	int (*remove)(void *context, const uint8_t hash[PATH_HASH_SIZE],
		      struct simhash_error *error);
	void *context;
};

/* Decide about the files of a walk_visitor's call. */
int reconcile_files(struct reconciler *reconciler, struct directory *directory,
		    const struct found_file *files, size_t count, enum walk_part part,
		    struct simhash_error *error);

/* Hold no view of the index while there is nothing to decide. */
void reconciler_rest(struct reconciler *reconciler);

#endif

/*
 * Groups contents, sorted by the key uniform, in one pass. A content stays in memory only as long
 * as later contents can be similar to it.
 *
 *     status = grouping_init(&grouping, finder, linkage, NULL, &error);
 *     while (status == 0 && ...) {
 *             status = grouping_add(&grouping, block, &error);        // for each block, in order
 *             ... take the contents of grouping.finished ...
 *     }
 *     grouping_end(&grouping, &error);
 *     ... take the last ones ...
 *     grouping_release(&grouping);
 *
 * Only one thread at a time uses it; the other threads of the finder help.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_GROUPING_H
#define SIMHASH_FIND_GROUPING_H

#include <stdatomic.h>

#include "find/groups/groups.h"
#include "find/groups/neighbours.h"
#include "find/pairs/block.h"
#include "find/reading/confirm.h"

struct grouping {
	struct finder *finder;
	enum linkage linkage;
	bool all_sketched;	  /* set by the caller: do all rows have sketches? */
	struct contents contents; /* the contents that are not finished */
	/*
	 * Groups with all their contents: no other content can be similar to them. The caller takes
	 * them out. With representatives, the caller repairs them with contents_mend; with single
	 * linkage, it calls grouping_relate_to_root for each content.
	 */
	struct contents finished;
	/* Contents before the batch. With single linkage, all are in `representatives`. */
	struct neighbours representatives, others;
	struct neighbours of_batch; /* the representatives found in it so far */
	size_t batch_begin;	    /* the index of the first content of the batch */
	size_t batch_contents;	    /* the minimum number of contents in a batch */
	/* When so many files are in memory, files out of reach are removed. */
	size_t forget_min, forget_at;
	int64_t settled_key;	     /* see settle() in grouping.c */
	struct confirmer *confirmer; /* NULL: no file is read */
	uint32_t next_number;	     /* the next number of a file, for the confirmer */
	size_t next_content;	     /* the number of the next content */
	struct matcher *matchers;    /* one for each thread */
	atomic_size_t next;	     /* the next content of the batch for a thread to take */
	/* The files with the current key. */
	struct content_file **files;
	size_t file_count, file_capacity;
};

/*
 * The finder and the confirmer, which may be NULL, must stay valid. Always release the grouping,
 * also after an error.
 */
int grouping_init(struct grouping *grouping, struct finder *finder, enum linkage linkage,
		  struct confirmer *confirmer, struct simhash_error *error);

/* Add the new rows of a block, with their copies. */
int grouping_add(struct grouping *grouping, const struct block *block, struct simhash_error *error);

/* Call it after the last row. All contents that are in groups, or may be, are then finished. */
int grouping_end(struct grouping *grouping, struct simhash_error *error);

/*
 * With single linkage: set the relation of a finished content to its root; these two may not be a
 * pair.
 */
void grouping_relate_to_root(const struct grouping *grouping, struct unique_content *content);

void grouping_release(struct grouping *grouping);

#endif

/*
 * Groups contents that come in the order of the key uniform, in one passage. A content stays in
 * memory only as long as later contents can reach it.
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
 * One thread at a time uses it, and has the other threads of the finder help.
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
	bool all_sketched;	  /* set by the user: have all rows sketches? */
	struct contents contents; /* those that are not finished */
	/*
	 * With all contents of their groups: no other one can be similar to them. The user takes them
	 * out, mends them by linkage to representatives, and has each related by single linkage.
	 */
	struct contents finished;
	/* Contents before the batch: by single linkage all are the first. */
	struct neighbours representatives, others;
	struct neighbours of_batch;   /* the representatives that it has so far */
	size_t batch_begin;	      /* the contents of the batch are those from here on */
	size_t batch_contents;	      /* how many a batch has, at the least */
	size_t forget_min, forget_at; /* files kept when those out of reach are forgotten */
	int64_t settled_key;	      /* see settle() */
	struct confirmer *confirmer;  /* NULL: no file is read */
	uint32_t next_number;	      /* of a file, for the confirmer */
	size_t next_content;	      /* number */
	struct matcher *matchers;     /* one for each thread */
	atomic_size_t next;	      /* content of the batch that no thread has taken */
	/* The files of the present key. */
	struct content_file **files;
	size_t file_count, file_capacity;
};

/* Borrows the finder, and the confirmer unless that is NULL. To be released whatever it returns. */
int grouping_init(struct grouping *grouping, struct finder *finder, enum linkage linkage,
		  struct confirmer *confirmer, struct simhash_error *error);

/* Add the new rows of a block, with their copies. */
int grouping_add(struct grouping *grouping, const struct block *block, struct simhash_error *error);

/* No more rows are to come: all contents that are in groups, or may come to be, are finished. */
int grouping_end(struct grouping *grouping, struct simhash_error *error);

/* By single linkage, of a finished content: what is known of it and its root, which may be no pair. */
void grouping_relate_to_root(const struct grouping *grouping, struct unique_content *content);

void grouping_release(struct grouping *grouping);

#endif

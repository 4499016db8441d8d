/*
 * Stores a list of pairs in memory, for tasks that need all pairs: confirming and grouping. Each
 * file is stored once and takes about 350 bytes plus its path; a pair takes 64 bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PAIRS_H
#define SIMHASH_FIND_PAIRS_H

#include <pthread.h>

#include "base/data/arena.h"
#include "base/data/slots.h"
#include "find/rule/file.h"

#define PAIRS_RECENT 256

struct pair_list {
	pthread_mutex_t lock;
	struct arena arena;	  /* holds the files and their displayed names */
	struct find_file **files; /* each file contains its number in this array */
	size_t file_count, file_capacity;
	struct slots slots; /* files by their hash */
	/* Indexed by hash: most files are needed again soon. */
	struct find_file *recent[PAIRS_RECENT];
	struct file_pair *pairs;
	size_t count, capacity;
};

/* The hash of its host and path. */
uint64_t pair_file_hash(const struct find_file *file);

void pair_list_init(struct pair_list *list);
void pair_list_release(struct pair_list *list);

/* Call it after the last pair. This frees the table of files. */
void pair_list_end(struct pair_list *list);

/* Store a pair and copies of its files, which do not move. Any thread may call it. */
int pair_list_add(struct pair_list *list, const struct file_pair *pair,
		  struct simhash_error *error);

/* The same for a thread that holds the lock, or that alone uses the list. */
int pair_list_append(struct pair_list *list, const struct file_pair *pair,
		     struct simhash_error *error);

/* Store the place of a part, for a thread that holds the lock. NULL: no memory. */
const struct part_place *pair_list_keep_place(struct pair_list *list,
					      const struct part_place *place);

/*
 * Add the pairs of another list. That list still owns its files afterwards, so release it after
 * this one. Only one thread may use the two lists. The caller releases both, also on -1.
 */
int pair_list_join(struct pair_list *list, struct pair_list *other, struct simhash_error *error);

#endif

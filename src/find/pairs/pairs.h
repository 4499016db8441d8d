/*
 * A list of pairs in memory, for tasks that need all of them: confirming and grouping. Each file is
 * kept once, at some 350 bytes and its path; a pair takes 56 bytes.
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
	struct arena arena;	  /* of the files and what they are shown as */
	struct find_file **files; /* each knows its number in here */
	size_t file_count, file_capacity;
	struct slots slots;			/* files by their hash */
	struct find_file *recent[PAIRS_RECENT]; /* by hash: most files come again soon */
	struct file_pair *pairs;
	size_t count, capacity;
};

/* By its host and path. */
uint64_t pair_file_hash(const struct find_file *file);

void pair_list_init(struct pair_list *list);
void pair_list_release(struct pair_list *list);

/* No more pairs are to come: give up the table of files. */
void pair_list_end(struct pair_list *list);

/* Keep a pair, and copies of its files, which stay where they are. Any thread may. */
int pair_list_add(struct pair_list *list, const struct file_pair *pair,
		  struct simhash_error *error);

/* The same for a thread that has the lock, or the list for itself. */
int pair_list_append(struct pair_list *list, const struct file_pair *pair,
		     struct simhash_error *error);

/*
 * Add the pairs of another list, which ends as a mere owner of files: release it after this one. By
 * one thread, for both. On -1 both are to be released.
 */
int pair_list_join(struct pair_list *list, struct pair_list *other, struct simhash_error *error);

#endif

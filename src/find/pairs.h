/*
 * Pairs kept in memory, for what needs all of them: confirming and grouping. Each
 * file is kept once, at some 400 bytes and its path; a pair takes 72 bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PAIRS_H
#define SIMHASH_FIND_PAIRS_H

#include <pthread.h>

#include "base/arena.h"
#include "find/file.h"

enum pair_state {
	PAIR_UNREAD,	 /* nobody looked, or nobody had to */
	PAIR_CONFIRMED,	 /* the shares are measured */
	PAIR_MEASURED,	 /* found by another measure: its similarity is the resemblance */
	PAIR_TRUSTED,	 /* left unread, since the estimate settles it */
	PAIR_UNCONFIRMED /* a file could not be read as it was indexed */
};

struct kept_pair {
	uint32_t a, b; /* numbers of files */
	uint64_t distance;
	struct estimate estimate;
	bool is_identical;
	enum pair_state state;
	/* Shares of the bytes of a that are found in b, of b in a, of all in both. */
	double contained_a, contained_b, resemblance;
};

struct pair_list {
	pthread_mutex_t lock;
	struct arena arena;
	struct find_file *files;
	size_t file_count, file_room;
	uint32_t *slots; /* numbers of files, from 1, by host and path hash */
	size_t slot_count;
	struct kept_pair *pairs;
	size_t count, room;
};

void pair_list_init(struct pair_list *list);
void pair_list_release(struct pair_list *list);

/* Keep a pair. Any thread may. */
int pair_list_add(struct pair_list *list, const struct found_pair *pair,
		  struct simhash_error *error);

#endif

/*
 * Finding similar files: what the program simfind does (paper, 4.2).
 *
 *     finder_init(&finder, store, &options, &error);
 *     finder_all(&finder, &error);                // every pair of the index
 *     finder_files(&finder, paths, n, &error);    // the files similar to each path
 *     finder_release(&finder);
 *
 * Both apply the same rule to the same pairs: key hit, sizes, sum-table hit;
 * at distance 0 the files are compared byte by byte.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FIND_H
#define SIMHASH_FIND_FIND_H

#include <stdbool.h>

#include "simhash.h"
#include "store/store.h"

/* One file as finding sees it. */
struct candidate {
	int64_t host, size_bytes, key;
	uint64_t total; /* of all counts */
	struct simhash_sum_table table;
	uint8_t content_hash[CONTENT_HASH_SIZE];
	/* Files found equal byte by byte have the same class. */
	uint64_t content_class;
	bool is_unreadable; /* reading it failed; reported once */
	const char *path;   /* inside `display`, terminated by a zero: the path on its host */
	size_t display_size;
	char display[]; /* "host:path" for a file of another host, else the path */
};

/* A pair found. `a` comes first in the order of bytes of what is displayed. */
struct found_pair {
	const struct candidate *a, *b;
	uint64_t distance;
	bool is_identical;
};

struct find_options {
	const struct simhash_tag_set *tags;
	const char *host; /* the name of this host */
	enum simhash_key key;
	struct simhash_tolerance tolerance;
	bool with_empty; /* empty files take part */
	/* A pair was found; lives for this call. -1 with the error filled ends the search. */
	int (*pair)(void *context, const struct found_pair *pair, struct simhash_error *error);
	/* A file could not be read: named by the user (is_query), or to be compared. */
	void (*unreadable)(void *context, struct bytes path, int system_errno, bool is_query);
	void *context;
};

struct find_counts {
	uint64_t rows, identical, similar;
};

struct host_name {
	int64_t id;
	char *name;
};

struct finder {
	struct store *store;
	const struct find_options *options;
	int64_t tag_set, local_host; /* 0 where the index knows none */
	struct host_name *hosts;
	size_t host_count;
	struct find_counts counts;
	/* confirm.c's: classes given out, and those that the present file is not of. */
	uint64_t classes;
	uint64_t *other_classes;
	size_t other_count, other_capacity;
	char *buffers; /* two, for comparing */
};

int finder_init(struct finder *finder, struct store *store, const struct find_options *options,
		struct simhash_error *error);
void finder_release(struct finder *finder);

int finder_all(struct finder *finder, struct simhash_error *error);
int finder_files(struct finder *finder, char *const *paths, size_t count,
		 struct simhash_error *error);

/* ---- Between the files of this floor ---- */

/* A candidate from a row of the index; NULL when memory is short. Freed by free(). */
struct candidate *candidate_new(const struct finder *finder, const struct file_row *row);

/* Steps 1 to 3 for two files; *distance is set when they match. */
bool candidates_match(const struct finder *finder, const struct candidate *x,
		      const struct candidate *y, uint64_t *distance);

/* A new candidate is about to be confirmed against others. */
void confirm_begin(struct finder *finder, struct candidate *file);

/*
 * Step 4: is `file`, begun last, byte for byte the same as `other`? Files of
 * other hosts cannot be read here; theirs are equal when size and content hash are.
 */
int confirm_identical(struct finder *finder, struct candidate *file, struct candidate *other,
		      bool *is_identical, struct simhash_error *error);

/* Confirm where the distance is 0, count, and hand the pair on. */
int finder_report(struct finder *finder, struct candidate *file, struct candidate *other,
		  uint64_t distance, struct simhash_error *error);

#endif

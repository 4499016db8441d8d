/*
 * Writes the results of simfind --store: rows of the tables file_group and file_pair. find_run.h
 * decides which rows are visible.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_ANSWER_ROWS_H
#define SIMHASH_STORE_ANSWER_ROWS_H

#include <stdbool.h>

#include "store/row/file_row.h"

struct hash_range;
struct store;

/* A file by its primary key in the table `file`, without the tag set, which the run has. */
struct answer_file {
	int64_t host;
	const uint8_t *path_hash, *content_hash;
};

#define GROUP_ID_SIZE 17 /* 16 hexadecimal digits and the terminating zero */

/* A share as in JSON, such as "0.973000"; empty if unknown. */
#define SHARE_SIZE 24

/* The relation of two files. */
struct answer_likeness {
	int64_t distance;
	char resemblance[SHARE_SIZE];
	const char *verified;
};

struct group_row {
	struct answer_file file, representative;
	char group_id[GROUP_ID_SIZE];
	const char *role;
	struct answer_likeness likeness; /* of the file and its representative */
};

struct pair_row {
	struct answer_file a, b;
	bool is_copy;
	struct answer_likeness likeness;
	char contained_a[SHARE_SIZE], contained_b[SHARE_SIZE];
};

/* Return the best number of rows for the functions below. */
size_t answer_rows_max(const struct store *store);

/* Write rows of a run that has begun, in one transaction. */
int group_rows_write(struct store *store, int64_t run, const struct group_row *rows, size_t count,
		     struct simhash_error *error);
int pair_rows_write(struct store *store, int64_t run, const struct pair_row *rows, size_t count,
		    struct simhash_error *error);

/*
 * In a transaction: remove from a run the files in a range of path hashes, their pairs, and the
 * groups that they represent.
 */
int answer_rows_remove(struct store *store, int64_t run, int64_t host,
		       const struct hash_range *range, struct simhash_error *error);

#endif

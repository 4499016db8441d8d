/*
 * The changes that simhash writes in one transaction.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_BATCH_H
#define SIMHASH_STORE_BATCH_H

#include <stddef.h>

#include "store/row/file_row.h"

struct store;

struct directory_row {
	uint8_t hash[DIRECTORY_HASH_SIZE];
	struct bytes path;
};

/* A file of which only the links have changed, or what is known of its contents. */
struct relinked_file {
	uint8_t path_hash[PATH_HASH_SIZE];
	int64_t device, inode, links;
	bool is_looked; /* the next is known */
	int64_t contents;
};

/* What is in a file was written anew: the rows of its directory that are not among these are gone. */
struct renewed_directory {
	uint8_t hash[DIRECTORY_HASH_SIZE];
	const uint8_t (*kept)[PATH_HASH_SIZE]; /* sorted */
	size_t kept_count;
};

/* What a run of simhash has stored by these changes, and what it could not read so far. */
struct run_progress {
	int64_t run; /* its id */
	int64_t files, bytes, errors;
};

/* Changes in the order in which they are made. */
struct store_batch {
	const uint8_t (*removed_directories)[DIRECTORY_HASH_SIZE]; /* and all their rows */
	size_t removed_directory_count;
	const uint8_t (*removed_files)[PATH_HASH_SIZE];
	size_t removed_file_count;
	const uint8_t (*left_files)[PATH_HASH_SIZE]; /* removed and not counted: they were moved */
	size_t left_file_count;
	const struct relinked_file *relinked;
	size_t relinked_count;
	const struct directory_row *directories; /* new ones, before rows name them */
	size_t directory_count;
	const struct file_row **rows; /* sorted here by path hash */
	size_t row_count;
	const struct renewed_directory *renewed;
	size_t renewed_count;
	const struct run_progress *progress;
	size_t progress_count;
};

/*
 * Append a row to the lists of a batch, which have room for it, and its directory unless that is
 * the one of the row before: rows come in the order of their path hashes.
 */
void store_batch_append(struct store_batch *batch, struct directory_row *directories,
			const struct file_row *row);

/* How many rows a batch should have. */
size_t store_batch_rows(const struct store *store);

/*
 * Write a batch in one transaction: all of it or, on failure, nothing. Deadlocks and lock waits
 * are tried again. *removed is the number of rows of `file` that were removed and counted.
 */
int store_write(struct store *store, const struct row_scope *scope, const struct store_batch *batch,
		int64_t *removed, struct simhash_error *error);

#endif

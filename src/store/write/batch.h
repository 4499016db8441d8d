/*
 * Defines the changes that simhash writes in one transaction.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_BATCH_H
#define SIMHASH_STORE_BATCH_H

#include <stddef.h>

#include "store/row/file_row.h"

struct damage;
struct store;

struct directory_row {
	uint8_t hash[DIRECTORY_HASH_SIZE];
	struct bytes path;
};

/* A file with only a new number of links, or new information about its contents. */
struct relinked_file {
	uint8_t path_hash[PATH_HASH_SIZE];
	int64_t device, inode, links;
	bool is_looked; /* `contents` is known */
	int64_t contents;
};

/*
 * The members of a file were written again: remove the rows of its directory that are not in
 * `kept`.
 */
struct renewed_directory {
	uint8_t hash[DIRECTORY_HASH_SIZE];
	const uint8_t (*kept)[PATH_HASH_SIZE]; /* sorted */
	size_t kept_count;
};

/* The progress of a run with these changes: the stored files, and the unreadable files so far. */
struct run_progress {
	int64_t run; /* the id of the run */
	int64_t files, bytes, errors;
};

/* Changes, in the order of their execution. */
struct store_batch {
	/* The directories are removed with all their rows. */
	const uint8_t (*removed_directories)[DIRECTORY_HASH_SIZE];
	size_t removed_directory_count;
	const uint8_t (*removed_files)[PATH_HASH_SIZE];
	size_t removed_file_count;
	/* removed but not counted, because they were moved */
	const uint8_t (*left_files)[PATH_HASH_SIZE];
	size_t left_file_count;
	const struct relinked_file *relinked;
	size_t relinked_count;
	const struct directory_row *directories; /* new directories, before rows refer to them */
	size_t directory_count;
	const struct file_row **rows; /* sorted here by path hash */
	size_t row_count;
	const struct renewed_directory *renewed;
	size_t renewed_count;
	const struct damage *damages; /* files that keep their rows */
	size_t damage_count;
	const struct run_progress *progress;
	size_t progress_count;
};

/*
 * Append a row to the lists of a batch, which must have room. Also append its directory, unless the
 * previous row has the same directory. Rows come in the order of their path hashes.
 */
void store_batch_append(struct store_batch *batch, struct directory_row *directories,
			const struct file_row *row);

/* Return the best number of rows in a batch. */
size_t store_batch_rows(const struct store *store);

/*
 * Write a batch in one transaction: all of it or, on failure, nothing. It is repeated after
 * deadlocks and lock waits. *removed is the number of removed rows of `file` that were counted.
 */
int store_write(struct store *store, const struct row_scope *scope, const struct store_batch *batch,
		int64_t *removed, struct simhash_error *error);

#endif

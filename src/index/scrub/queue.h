/*
 * Sorts the files of a scope by the time of their last verification. The records are sorted outside
 * of memory if there are many.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_SCRUB_QUEUE_H
#define SIMHASH_INDEX_SCRUB_QUEUE_H

#include <stdatomic.h>

#include "base/sort/runs.h"
#include "store/row/file_row.h"

struct store;

/* All names of a file are adjacent if they were read at the same time. */
struct queued_file {
	int64_t verified_at_ns; /* the last verification, or the time when the file was found damaged */
	int64_t device, inode;
	int64_t size_bytes;
	uint8_t path_hash[PATH_HASH_SIZE];
};

struct scrub_queue {
	struct runs runs;
	struct run_cursor cursor;
	uint64_t files;
	int64_t bytes; /* see scrub_cost */
};

/* A file also takes time to open, so a small file counts as 4 KiB more. */
static inline int64_t scrub_cost(int64_t size_bytes)
{
	return size_bytes + 4096;
}

/*
 * Read and sort the files of a scope at and below these paths, or all. Stops with ERROR_STOPPED if
 * *stop is set. Release the queue even after an error.
 */
int scrub_queue_init(struct scrub_queue *queue, struct store *store, const struct row_scope *scope,
		     const struct bytes *tops, size_t top_count, const atomic_bool *stop,
		     struct simhash_error *error);

/* Get the next file. Returns 1, 0 at the end, -1 for an error. It lives until the next call. */
int scrub_queue_next(struct scrub_queue *queue, const struct queued_file **file,
		     struct simhash_error *error);

void scrub_queue_release(struct scrub_queue *queue);

#endif

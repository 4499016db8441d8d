/*
 * What travels through the pipeline: batches of files to scan, which come out
 * as rows, and of rows to remove.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_TASK_H
#define SIMHASH_INDEX_TASK_H

#include "index/walk.h"
#include "store/file_row.h"

#define TASKS_PER_BATCH 64
#define BYTES_PER_BATCH (INT64_C(1) << 20)

struct task {
	struct directory *directory;
	char *name;	 /* the name with its zero, then its extension in lower case */
	bool is_scanned; /* `row` is filled */
	struct file_row row;
};

struct shared_scan;

struct batch {
	/* Of a large file: with no task, a call to help with it. A reference, or NULL. */
	struct shared_scan *shared;
	size_t removed_count;
	uint8_t (*removed)[PATH_HASH_SIZE]; /* files gone; owned */
	int64_t size_bytes;
	size_t count, capacity;
	struct task tasks[];
};

/* A batch with room for `capacity` tasks; NULL when memory is short. */
struct batch *batch_new(size_t capacity);

/* Free a batch with all it holds. The uses of its directories ended before. */
void batch_free(struct batch *batch);

/* Append a file; the batch must have room. -1 when memory is short. */
int batch_append(struct batch *batch, struct directory *directory, const struct found_file *file);

#endif

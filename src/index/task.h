/*
 * What travels through the pipeline: batches of files to scan, which come out
 * as rows, and of rows to remove.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_TASK_H
#define SIMHASH_INDEX_TASK_H

#include "index/walk.h"
#include "store/file_row.h"
#include "store/store.h"

#define TASKS_PER_BATCH 64
#define BYTES_PER_BATCH (INT64_C(1) << 20)

struct batch;
struct link;

struct task {
	struct batch *batch; /* that it is in */
	struct directory *directory;
	char *name;	 /* of its row, then what to open, each with a zero; then its extension */
	char *open_name; /* in `name` */
	bool is_scanned; /* `row` is filled */
	bool is_inflated;
	bool is_copied;		   /* from another name of the file; not read */
	int64_t size_bytes, links; /* as the walk found it */
	struct link *link;	   /* see links.h; NULL: it is scanned for itself */
	bool is_first;		   /* of its link */
	struct task *next_parked;
	struct file_row row;
};

struct shared_scan;

struct batch {
	/* Of a large file: with no task, a call to help with it. A reference, or NULL. */
	struct shared_scan *shared;
	size_t removed_count;
	uint8_t (*removed)[PATH_HASH_SIZE]; /* files gone; owned */
	size_t relinked_count;
	struct relinked_file *relinked; /* owned */
	int64_t size_bytes;
	atomic_size_t unfinished; /* tasks, and one for the scanner that goes through them */
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

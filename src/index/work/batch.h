/*
 * What travels from the walkers to the scanners and from them to the writer: batches of files to
 * scan, which come out as rows, and of rows to change or remove.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_BATCH_H
#define SIMHASH_INDEX_BATCH_H

#include "index/walk/chunk.h"
#include "store/row/file_row.h"
#include "store/write/batch.h"

#define BATCH_TASKS 64
#define BATCH_BYTES (INT64_C(1) << 20)

struct batch;
struct hard_link;
struct shared_scan;

/* A file to scan. */
struct task {
	struct batch *batch; /* that it is in */
	struct directory *directory;
	char *name;	 /* of its row, then what to open, each with a zero; then its extension */
	char *open_name; /* in `name` */
	bool is_scanned; /* `row` is filled */
	bool is_inflated, is_unchanged; /* as the walk found it */
	bool had_members, had_sketch;
	uint32_t filter;	/* that it was given to, if it had members; or 0 */
	unsigned kinds;		/* of containers that it was looked at for, if it had members */
	bool has_known_content; /* it has the size and the time of its row, of this content: */
	uint8_t known_content[CONTENT_HASH_SIZE];
	bool looks_only; /* not read; is it a container? */
	bool is_looked;	 /* it was, and row.contents tells what is known of it */
	bool is_copied;	 /* from another name of the file; not read */
	bool is_moved;	 /* from the row of another path; not read */
	bool leaves;	 /* that path, which is: */
	uint8_t left_hash[PATH_HASH_SIZE];
	int64_t size_bytes, links; /* as the walk found it; of `links` what is recorded */
	struct hard_link *link;	   /* see hard_links.h; NULL: it is scanned for itself */
	bool is_leader;		   /* scanned for all names of its link */
	struct task *next_parked;
	struct file_row row;
};

/* What a task that is written adds to the counts of its run: a file, and the bytes that were read. */
static inline bool task_counts(const struct task *task)
{
	return task->is_scanned && !task->is_moved;
}
static inline int64_t task_bytes(const struct task *task)
{
	return task->is_copied ? 0 : task->row.size_bytes;
}

struct batch {
	/* Of a large file; with no task, a call to help with it. A reference, or NULL. */
	struct shared_scan *shared;
	bool is_end_of_many; /* only the largest files come after it */
	size_t removed_count;
	uint8_t (*removed)[PATH_HASH_SIZE]; /* files gone, at most BATCH_TASKS; owned */
	size_t relinked_count;
	struct relinked_file *relinked; /* at most BATCH_TASKS; owned */
	/* All rows of this directory are gone, or with `renews_directory` all but those kept. */
	bool removes_directory, renews_directory;
	uint8_t directory_hash[DIRECTORY_HASH_SIZE];
	uint8_t (*kept)[PATH_HASH_SIZE]; /* sorted; owned */
	size_t kept_count;
	int64_t size_bytes;	  /* of the files to scan */
	atomic_size_t unfinished; /* tasks, and one for the scanner that goes through them */
	size_t count, capacity;
	struct task tasks[];
};

/* A batch with room for `capacity` tasks; NULL when memory is short. */
struct batch *batch_new(size_t capacity);

/* The next task, all zero. The batch has room for it. */
struct task *batch_add(struct batch *batch);

/*
 * Move what a batch holds to one that is just as large, and leave it empty. When memory is short,
 * it is returned itself.
 */
struct batch *batch_move(struct batch *batch);

/* Free a batch with all it holds. The uses of its directories ended before. NULL is fine. */
void batch_free(struct batch *batch);

#endif

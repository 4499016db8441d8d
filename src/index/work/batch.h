/*
 * Batches, which go from the walkers to the scanners and from them to the writer. A batch has files
 * to scan, which come out as rows, and rows to change or remove.
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

/* What the walk, or the look into a container, found. Nobody changes it later. */
struct task_found {
	struct directory *directory;
	char *name;	 /* of its row, then what to open, each with a zero; then its extension */
	char *open_name; /* in `name` */
	int64_t size_bytes, links; /* of `links` what is recorded */
	bool is_inflated, is_unchanged;
	bool looks_only; /* not read; is it a container? */
};

/* The index's part: its row of the file before this run, or of another path that had the file. */
struct task_known {
	bool has_members, has_sketch;
	uint32_t filter;  /* the command that read it, if it has members; or 0 */
	unsigned kinds;	  /* of containers that it was looked at for, if it has members */
	bool has_content; /* it has the size and the time of its row, of this content: */
	uint8_t content[CONTENT_HASH_SIZE];
	bool leaves; /* the path that it had before, which is: */
	uint8_t left_hash[PATH_HASH_SIZE];
};

/* Names of one file, of which one task scans it; see hard_links.h. */
struct task_names {
	struct hard_link *link; /* NULL: it is scanned for itself */
	bool is_leader;		/* scanned for all names of its link */
	struct task *next_parked;
};

/* The scanner's part. */
struct task_result {
	bool is_scanned; /* the row is filled */
	bool is_looked;	 /* for members, and row.contents has the kinds */
	bool is_copied;	 /* from another name of the file; not read */
	bool is_moved;	 /* from the row of another path; not read */
};

/* A file to scan. */
struct task {
	struct batch *batch; /* that has it */
	struct task_found found;
	struct task_known known;
	struct task_names names;
	struct task_result result;
	struct file_row row;
};

/* What a task that is written adds to the counts of its run: a file, and the bytes that were read. */
static inline bool task_counts(const struct task *task)
{
	return task->result.is_scanned && !task->result.is_moved;
}
static inline int64_t task_bytes(const struct task *task)
{
	return task->result.is_copied ? 0 : task->row.size_bytes;
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

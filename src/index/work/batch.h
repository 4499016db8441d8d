/*
 * Defines the batches that go from the walkers to the scanners and then to the writer. A batch has
 * files to scan, which become rows, and rows to change or remove.
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

/* The result of the walk, or of reading a container. It does not change later. */
struct task_found {
	struct directory *directory;
	char *name; /* the row's name and the name to open, each with a zero; then the extension */
	char *open_name;	   /* within `name` */
	int64_t size_bytes, links; /* links: as recorded in the row */
	bool is_inflated, is_unchanged;
	bool looks_only; /* do not read it, but check whether it is a container */
};

/* The information of the index: its row of the file before this run, or its row at another path. */
struct task_known {
	bool has_members, has_sketch;
	uint32_t filter;  /* the command that read it, if it has members; or 0 */
	unsigned kinds;	  /* the kinds for which it was examined, if it has members */
	bool has_content; /* it has the size and time of its row, with this content: */
	uint8_t content[CONTENT_HASH_SIZE];
	bool leaves; /* its old path must be removed, which is: */
	uint8_t left_hash[PATH_HASH_SIZE];
};

/* The names of one file; one task scans it; see hard_links.h. */
struct task_names {
	struct hard_link *link; /* NULL: it is scanned alone */
	bool is_leader;		/* scanned for all names of its link */
	struct task *next_parked;
};

/* The result of the scanner. */
struct task_result {
	bool is_scanned; /* the row is complete */
	bool is_looked;	 /* for members; row.contents has the kinds */
	bool is_copied;	 /* from another name of the file; not read */
	bool is_moved;	 /* from the row of another path; not read */
};

/* A file to scan. */
struct task {
	struct batch *batch; /* the batch that contains it */
	struct task_found found;
	struct task_known known;
	struct task_names names;
	struct task_result result;
	struct file_row row;
};

/* The values that a written task adds to the counts of its run: a file, and the bytes read. */
static inline bool task_counts(const struct task *task)
{
	return task->result.is_scanned && !task->result.is_moved;
}
static inline int64_t task_bytes(const struct task *task)
{
	return task->result.is_copied ? 0 : task->row.size_bytes;
}

struct batch {
	/*
	 * For a large file; in a batch without tasks, a request to help with it. A reference, or
	 * NULL.
	 */
	struct shared_scan *shared;
	bool is_end_of_many; /* only the largest files follow */
	size_t removed_count;
	uint8_t (*removed)[PATH_HASH_SIZE]; /* removed files, at most BATCH_TASKS; owned */
	size_t relinked_count;
	struct relinked_file *relinked; /* at most BATCH_TASKS; owned */
	/* Remove all rows of this directory; or with `renews_directory` all rows not in `kept`. */
	bool removes_directory, renews_directory;
	uint8_t directory_hash[DIRECTORY_HASH_SIZE];
	uint8_t (*kept)[PATH_HASH_SIZE]; /* sorted; owned */
	size_t kept_count;
	int64_t size_bytes;	  /* of the files to scan */
	atomic_size_t unfinished; /* tasks, plus one for the scanner that handles the batch */
	size_t count, capacity;
	struct task tasks[];
};

/* Make a batch with room for `capacity` tasks. NULL if memory is short. */
struct batch *batch_new(size_t capacity);

/* Return the next task, with zeros. The batch must have room. */
struct task *batch_add(struct batch *batch);

/*
 * Move the content of a batch to a new batch of the same size, and leave it empty. If memory is
 * short, returns the batch itself.
 */
struct batch *batch_move(struct batch *batch);

/* Free a batch with its content. The uses of its directories must have ended. NULL is allowed. */
void batch_free(struct batch *batch);

#endif

/*
 * Defines the batches that the walkers pass to the scanners, and the scanners to the writer. A
 * batch has files to scan, which become rows, and rows to change or remove.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_BATCH_H
#define SIMHASH_INDEX_BATCH_H

#include "index/walk/chunk.h"
#include "store/row/file_row.h"
#include "store/rows/known_file.h"
#include "store/write/batch.h"

#define BATCH_TASKS 64
#define BATCH_BYTES (INT64_C(1) << 20)

struct batch;
struct hard_link;
struct lane;
struct shared_scan;

/* The place of a file on its disk. Known only for files of a lane; see lanes.h. */
struct task_place {
	uint64_t device, offset; /* 0: unknown */
	uint64_t inode;
};

/* The result of the walk, or of reading a container. It does not change later. */
struct task_found {
	struct directory *directory;
	/*
	 * The row's name and the name to open, each terminated by a zero, and then the extension.
	 */
	char *name;
	char *open_name;	   /* within `name` */
	int64_t size_bytes, links; /* links: as recorded in the row */
	struct task_place place;
	bool is_inflated, is_unchanged;
	bool is_others;	 /* see is_others_file */
	bool looks_only; /* do not read the file, but check whether it is a container */
};

/* The data of the file in the index before this run: its row at this path or at another path. */
struct task_known {
	bool has_members, has_sketch;
	uint32_t filter; /* the filter command that read the file, if the file has members; or 0 */
	unsigned kinds;	 /* the kinds of containers that were looked for, if the file has members */
	bool lacks_text; /* only its text was looked for; see CONTENTS_LACKS_TEXT */
	int64_t lacks;	 /* CONTENTS_LACKS, of the row */
	bool has_content; /* the file has the size and time of its row, which has this content: */
	uint8_t content[CONTENT_HASH_SIZE];
	bool has_right; /* see struct found_file */
	struct known_content right;
	bool leaves; /* the row of the old path must be removed; its path hash is: */
	uint8_t left_hash[PATH_HASH_SIZE];
};

/* The names of one file; one task scans it; see hard_links.h. */
struct task_names {
	struct hard_link *link; /* NULL: the file is scanned for this name alone */
	bool is_leader;		/* this task scans the file for all its names */
	struct task *next_parked;
};

/* The result of the scanner. */
struct task_result {
	bool is_scanned; /* the row is complete */
	bool is_damaged; /* not the content in `known.right`: only the damage is written */
	bool is_looked;	 /* the file was examined for members; row.contents has the kinds */
	/* The row was copied from another name of the file, which was not read again. */
	bool is_copied;
	/* The row was copied from another path of the file, which was not read again. */
	bool is_moved;
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

/*
 * Does a written task count as a file of its run, and how many bytes were read for it? The text of a
 * document is no separate file.
 */
static inline bool task_counts(const struct task *task)
{
	return task->result.is_scanned && !task->result.is_moved &&
	       !row_is_text(task->row.contents);
}
static inline int64_t task_bytes(const struct task *task)
{
	return task->result.is_copied ? 0 : task->row.size_bytes;
}

struct batch {
	/*
	 * A reference to the shared scan of a large file, or NULL. In a batch without tasks, it
	 * asks the scanner to help with this file.
	 */
	struct shared_scan *shared;
	bool is_end_of_many; /* only the largest files follow after this batch */
	struct lane *lane;   /* the lane of its files, or NULL; see lanes.h */
	bool is_reader;	     /* its scanner is one of the few that read the disk of the lane */
	size_t removed_count;
	uint8_t (*removed)[PATH_HASH_SIZE]; /* removed files, at most BATCH_TASKS; owned */
	size_t relinked_count;
	struct relinked_file *relinked; /* at most BATCH_TASKS; owned */
	/*
	 * Remove all rows of this directory or, with `renews_directory`, all rows that are not in
	 * `kept`.
	 */
	bool removes_directory, renews_directory;
	uint8_t directory_hash[DIRECTORY_HASH_SIZE];
	uint8_t (*kept)[PATH_HASH_SIZE]; /* sorted; owned */
	size_t kept_count;
	int64_t size_bytes; /* the total size of the files to scan */
	/* The number of unfinished tasks, plus one for the scanner that handles the batch. */
	atomic_size_t unfinished;
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

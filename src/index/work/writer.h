/*
 * Runs the writer on the calling thread: collects batches from the scanners into transactions, and
 * records the runs.
 *
 *     writer_init(&writer, store, &scope, &roots, &failures, threads, stop, error);
 *     writer_begin_runs(&writer, error);
 *     ... ... start the scanners; each is a producer of the writer's queue
 *     writer_write(&writer, error);
 *     writer_end_runs(&writer, false, error);
 *     writer_release(&writer);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_WRITER_H
#define SIMHASH_INDEX_WRITER_H

#include "base/threads/queue.h"
#include "index/walk/failures.h"
#include "index/walk/roots.h"
#include "index/work/batch.h"
#include "index/work/pending.h"
#include "store/names/scan_run.h"

struct writer {
	struct store *store; /* borrowed */
	struct row_scope scope;
	atomic_bool *stop;     /* set when writing fails */
	struct queue queue;    /* a queue of batches */
	struct scan_run *runs; /* one for each root */
	const struct roots *roots;
	const struct failures *failures;
	uint64_t scanned, sketched_again, moved, linked, bytes, rows_removed; /* committed */

	/* the index had no rows of this scope before the run; false until this is known */
	bool has_no_rows;
	struct pending pending; /* the content of the next transaction */
};

/* Prepare a writer whose queue has `producers` producers. */
int writer_init(struct writer *writer, struct store *store, const struct row_scope *scope,
		const struct roots *roots, const struct failures *failures, unsigned producers,
		atomic_bool *stop, struct simhash_error *error);
void writer_release(struct writer *writer);

/* Write until all producers have finished. After a failure, later batches are dropped. */
int writer_write(struct writer *writer, struct simhash_error *error);

/*
 * Record the beginning of the runs, one for each root; record their end, or their progress if they
 * were interrupted.
 */
int writer_begin_runs(struct writer *writer, struct simhash_error *error);
int writer_end_runs(struct writer *writer, bool is_cut_off, struct simhash_error *error);

#endif

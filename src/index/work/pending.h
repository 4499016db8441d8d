/*
 * Collects the content of one transaction of the writer: batches of the scanners, and lists of
 * their changes.
 *
 *     while (...)
 *             pending_add(&pending, batch, runs, error);
 *     changes = pending_changes(&pending);
 *     store_write(store, &scope, &changes, &removed, error);
 *     pending_drop(&pending);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_PENDING_H
#define SIMHASH_INDEX_PENDING_H

#include "index/work/batch.h"
#include "store/names/scan_run.h"
#include "store/write/batch.h"

struct pending {
	struct batch **batches;
	const struct file_row **rows;
	struct directory_row *directories;
	uint8_t (*removed)[PATH_HASH_SIZE], (*left)[PATH_HASH_SIZE];
	uint8_t (*removed_directories)[DIRECTORY_HASH_SIZE];
	struct damage *damages;
	struct relinked_file *relinked;
	struct renewed_directory *renewed; /* the lists belong to the batches */
	struct run_progress *progress;
	struct {
		size_t batches, rows, directories, removed, left, relinked, removed_directories,
			renewed, progress, damages;
	} counts, capacities;
};

/*
 * Take ownership of a batch, even after a failure. `runs` has one run for each root, with its
 * errors so far.
 */
int pending_add(struct pending *pending, struct batch *batch, const struct scan_run *runs,
		struct simhash_error *error);

/* Return the changes, which borrow the lists. */
struct store_batch pending_changes(const struct pending *pending);

/*
 * pending_drop frees the batches but keeps the memory of the lists; pending_release also frees the
 * lists.
 */
void pending_drop(struct pending *pending);
void pending_release(struct pending *pending);

#endif

/*
 * The content of one transaction of the writer: batches of the scanners, and lists of their
 * changes.
 *
 *     while (...)
 *             gathered_add(&gathered, batch, runs, error);
 *     changes = gathered_changes(&gathered);
 *     store_write(store, &scope, &changes, &removed, error);
 *     gathered_drop(&gathered);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_GATHERED_H
#define SIMHASH_INDEX_GATHERED_H

#include "index/work/batch.h"
#include "store/names/scan_run.h"
#include "store/write/batch.h"

struct gathered {
	struct batch **batches;
	const struct file_row **rows;
	struct directory_row *directories;
	uint8_t (*removed)[PATH_HASH_SIZE], (*left)[PATH_HASH_SIZE];
	uint8_t (*removed_directories)[DIRECTORY_HASH_SIZE];
	struct relinked_file *relinked;
	struct renewed_directory *renewed; /* the lists are those of the batches */
	struct run_progress *progress;
	struct {
		size_t batches, rows, directories, removed, left, relinked, removed_directories,
			renewed, progress;
	} counts, capacities;
};

/* Take a batch over, also when that fails. `runs` has one for each root, with its errors so far. */
int gathered_add(struct gathered *gathered, struct batch *batch, const struct scan_run *runs,
		 struct simhash_error *error);

/* Borrows the lists. */
struct store_batch gathered_changes(const struct gathered *gathered);

/* Free the batches, and keep the room for others; free that, too. */
void gathered_drop(struct gathered *gathered);
void gathered_release(struct gathered *gathered);

#endif

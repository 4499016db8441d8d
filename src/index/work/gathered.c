/*
 * Gathers batches and lists their changes for a transaction.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/gathered.h"

#include <stdlib.h>
#include <string.h>

#include "base/data/array.h"

/* Make room for all that a batch brings. */
static int reserve(struct gathered *gathered, const struct batch *batch,
		   struct simhash_error *error)
{
	if (array_reserve(&gathered->rows, &gathered->capacities.rows,
			  gathered->counts.rows + batch->count, sizeof *gathered->rows,
			  error) != 0 ||
	    array_reserve(&gathered->directories, &gathered->capacities.directories,
			  gathered->counts.directories + batch->count,
			  sizeof *gathered->directories, error) != 0 ||
	    array_reserve(&gathered->removed, &gathered->capacities.removed,
			  gathered->counts.removed + batch->removed_count,
			  sizeof *gathered->removed, error) != 0 ||
	    array_reserve(&gathered->left, &gathered->capacities.left,
			  gathered->counts.left + batch->count, sizeof *gathered->left,
			  error) != 0 ||
	    array_reserve(&gathered->relinked, &gathered->capacities.relinked,
			  gathered->counts.relinked + batch->relinked_count + batch->count,
			  sizeof *gathered->relinked, error) != 0 ||
	    array_reserve(&gathered->removed_directories, &gathered->capacities.removed_directories,
			  gathered->counts.removed_directories + 1,
			  sizeof *gathered->removed_directories, error) != 0 ||
	    array_reserve(&gathered->renewed, &gathered->capacities.renewed,
			  gathered->counts.renewed + 1, sizeof *gathered->renewed, error) != 0 ||
	    array_reserve(&gathered->progress, &gathered->capacities.progress,
			  gathered->counts.progress + batch->count, sizeof *gathered->progress,
			  error) != 0)
		return -1;
	return 0;
}

/* An unchanged file was looked into: only what is known of its contents is written. */
static void take_looked(struct gathered *gathered, const struct task *task)
{
	struct relinked_file *looked = &gathered->relinked[gathered->counts.relinked++];

	*looked = (struct relinked_file){.device = task->row.device,
					 .inode = task->row.inode,
					 .links = task->row.links,
					 .is_looked = true,
					 .contents = task->row.contents};
	memcpy(looked->path_hash, task->row.path_hash, PATH_HASH_SIZE);
}

static void take_task(struct gathered *gathered, const struct task *task)
{
	struct directory *directory = task->found.directory;
	struct directory_row *row;

	if (task->result.is_looked && !task->result.is_scanned)
		take_looked(gathered, task);
	if (!task->result.is_scanned)
		return;
	gathered->rows[gathered->counts.rows++] = &task->row;
	if (task->known.leaves)
		memcpy(gathered->left[gathered->counts.left++], task->known.left_hash,
		       PATH_HASH_SIZE);
	if (directory->is_recorded)
		return;
	row = &gathered->directories[gathered->counts.directories++];
	row->path = task->row.directory;
	memcpy(row->hash, directory->hash, sizeof row->hash);
	directory->is_recorded = true;
}

/* The directory of what is in a file. */
static void take_directory(struct gathered *gathered, const struct batch *batch)
{
	struct renewed_directory *renewed;

	if (batch->removes_directory)
		memcpy(gathered->removed_directories[gathered->counts.removed_directories++],
		       batch->directory_hash, DIRECTORY_HASH_SIZE);
	if (!batch->renews_directory)
		return;
	renewed = &gathered->renewed[gathered->counts.renewed++];
	memcpy(renewed->hash, batch->directory_hash, DIRECTORY_HASH_SIZE);
	renewed->kept = (const uint8_t(*)[PATH_HASH_SIZE])batch->kept;
	renewed->kept_count = batch->kept_count;
}

/* Most tasks are of the run of the one before. A run may have several counts: they are added. */
static void count_task(struct gathered *gathered, const struct task *task,
		       const struct scan_run *runs)
{
	const struct scan_run *run = &runs[task->found.directory->root];
	struct run_progress *last = &gathered->progress[gathered->counts.progress];

	if (!task_counts(task))
		return;
	if (gathered->counts.progress == 0 || last[-1].run != run->id) {
		*last++ = (struct run_progress){.run = run->id};
		gathered->counts.progress++;
	}
	last[-1].files++;
	last[-1].bytes += task_bytes(task);
	last[-1].errors = run->errors;
}

int gathered_add(struct gathered *gathered, struct batch *batch, const struct scan_run *runs,
		 struct simhash_error *error)
{
	if (array_reserve(&gathered->batches, &gathered->capacities.batches,
			  gathered->counts.batches + 1, sizeof(struct batch *), error) != 0) {
		batch_free(batch);
		return -1;
	}
	gathered->batches[gathered->counts.batches++] = batch;
	if (reserve(gathered, batch, error) != 0)
		return -1;
	for (size_t i = 0; i < batch->removed_count; i++)
		memcpy(gathered->removed[gathered->counts.removed++], batch->removed[i],
		       PATH_HASH_SIZE);
	take_directory(gathered, batch);
	for (size_t i = 0; i < batch->relinked_count; i++)
		gathered->relinked[gathered->counts.relinked++] = batch->relinked[i];
	for (size_t i = 0; i < batch->count; i++) {
		take_task(gathered, &batch->tasks[i]);
		count_task(gathered, &batch->tasks[i], runs);
	}
	return 0;
}

struct store_batch gathered_changes(const struct gathered *gathered)
{
	const uint8_t(*removed_files)[PATH_HASH_SIZE] = (void *)gathered->removed;
	const uint8_t(*left_files)[PATH_HASH_SIZE] = (void *)gathered->left;
	const uint8_t(*removed_directories)[DIRECTORY_HASH_SIZE] =
		(void *)gathered->removed_directories;

	return (struct store_batch){
		.removed_directories = removed_directories,
		.removed_directory_count = gathered->counts.removed_directories,
		.removed_files = removed_files,
		.removed_file_count = gathered->counts.removed,
		.left_files = left_files,
		.left_file_count = gathered->counts.left,
		.relinked = gathered->relinked,
		.relinked_count = gathered->counts.relinked,
		.directories = gathered->directories,
		.directory_count = gathered->counts.directories,
		.rows = gathered->rows,
		.row_count = gathered->counts.rows,
		.renewed = gathered->renewed,
		.renewed_count = gathered->counts.renewed,
		.progress = gathered->progress,
		.progress_count = gathered->counts.progress,
	};
}

void gathered_drop(struct gathered *gathered)
{
	for (size_t i = 0; i < gathered->counts.batches; i++)
		batch_free(gathered->batches[i]);
	memset(&gathered->counts, 0, sizeof gathered->counts);
}

void gathered_release(struct gathered *gathered)
{
	gathered_drop(gathered);
	free(gathered->batches);
	free(gathered->rows);
	free(gathered->directories);
	free(gathered->removed);
	free(gathered->left);
	free(gathered->removed_directories);
	free(gathered->relinked);
	free(gathered->renewed);
	free(gathered->progress);
}

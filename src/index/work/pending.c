/*
 * Collects batches and lists their changes for a transaction.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/pending.h"

#include <stdlib.h>
#include <string.h>

#include "base/data/array.h"
#include "store/rows/damage_rows.h"

/* Reserve memory for all changes of a batch. */
static int reserve(struct pending *pending, const struct batch *batch, struct simhash_error *error)
{
	if (array_reserve(&pending->rows, &pending->capacities.rows,
			  pending->counts.rows + batch->count, sizeof *pending->rows, error) != 0 ||
	    array_reserve(&pending->directories, &pending->capacities.directories,
			  pending->counts.directories + batch->count, sizeof *pending->directories,
			  error) != 0 ||
	    array_reserve(&pending->removed, &pending->capacities.removed,
			  pending->counts.removed + batch->removed_count, sizeof *pending->removed,
			  error) != 0 ||
	    array_reserve(&pending->left, &pending->capacities.left,
			  pending->counts.left + batch->count, sizeof *pending->left, error) != 0 ||
	    array_reserve(&pending->relinked, &pending->capacities.relinked,
			  pending->counts.relinked + batch->relinked_count + batch->count,
			  sizeof *pending->relinked, error) != 0 ||
	    array_reserve(&pending->removed_directories, &pending->capacities.removed_directories,
			  pending->counts.removed_directories + 1,
			  sizeof *pending->removed_directories, error) != 0 ||
	    array_reserve(&pending->renewed, &pending->capacities.renewed,
			  pending->counts.renewed + 1, sizeof *pending->renewed, error) != 0 ||
	    array_reserve(&pending->damages, &pending->capacities.damages,
			  pending->counts.damages + batch->count, sizeof *pending->damages,
			  error) != 0 ||
	    array_reserve(&pending->progress, &pending->capacities.progress,
			  pending->counts.progress + batch->count, sizeof *pending->progress,
			  error) != 0)
		return -1;
	return 0;
}

/* An unchanged file was examined, so only the information about its contents is written. */
static void take_looked(struct pending *pending, const struct task *task)
{
	struct relinked_file *looked = &pending->relinked[pending->counts.relinked++];

	*looked = (struct relinked_file){.device = task->row.device,
					 .inode = task->row.inode,
					 .links = task->row.links,
					 .is_looked = true,
					 .contents = task->row.contents};
	memcpy(looked->path_hash, task->row.path_hash, PATH_HASH_SIZE);
}

static void take_damage(struct pending *pending, const struct task *task)
{
	const struct known_content *right = &task->known.right;
	const struct file_row *row = &task->row;
	struct damage *damage = &pending->damages[pending->counts.damages++];

	*damage = (struct damage){
		.has_found_hash = true,
		.found_size_bytes = row->size_bytes,
		.found_at_ns = row->scanned_at_ns > right->verified_at_ns ? row->scanned_at_ns
									  : right->verified_at_ns,
		.verified_at_ns = right->verified_at_ns,
		.status_moved = right->changed_ns != 0 ? row->changed_ns != right->changed_ns
						       : row->changed_ns > right->verified_at_ns,
		.compared_bytes = DAMAGE_UNKNOWN,
		.different_bytes = DAMAGE_UNKNOWN,
		.first_byte = DAMAGE_UNKNOWN,
		.last_byte = DAMAGE_UNKNOWN,
		.resemblance_ppm = DAMAGE_UNKNOWN};
	memcpy(damage->path_hash, row->path_hash, PATH_HASH_SIZE);
	memcpy(damage->content_hash, right->hash, CONTENT_HASH_SIZE);
	memcpy(damage->found_hash, row->content_hash, CONTENT_HASH_SIZE);
}

static void take_task(struct pending *pending, const struct task *task)
{
	struct directory *directory = task->found.directory;
	struct directory_row *row;

	if (task->result.is_looked && !task->result.is_scanned)
		take_looked(pending, task);
	if (task->result.is_damaged)
		take_damage(pending, task);
	if (!task->result.is_scanned)
		return;
	pending->rows[pending->counts.rows++] = &task->row;
	if (task->known.leaves)
		memcpy(pending->left[pending->counts.left++], task->known.left_hash,
		       PATH_HASH_SIZE);
	if (directory->is_recorded)
		return;
	row = &pending->directories[pending->counts.directories++];
	row->path = task->row.directory;
	memcpy(row->hash, directory->hash, sizeof row->hash);
	directory->is_recorded = true;
}

/* Add the directory of a file's members. */
static void take_directory(struct pending *pending, const struct batch *batch)
{
	struct renewed_directory *renewed;

	if (batch->removes_directory)
		memcpy(pending->removed_directories[pending->counts.removed_directories++],
		       batch->directory_hash, DIRECTORY_HASH_SIZE);
	if (!batch->renews_directory)
		return;
	renewed = &pending->renewed[pending->counts.renewed++];
	memcpy(renewed->hash, batch->directory_hash, DIRECTORY_HASH_SIZE);
	renewed->kept = (const uint8_t(*)[PATH_HASH_SIZE])batch->kept;
	renewed->kept_count = batch->kept_count;
}

/* Most tasks belong to the same run as the previous task. The counts of a run are added. */
static void count_task(struct pending *pending, const struct task *task,
		       const struct scan_run *runs)
{
	const struct scan_run *run = &runs[task->found.directory->root];
	struct run_progress *last = &pending->progress[pending->counts.progress];

	if (!task_counts(task))
		return;
	if (pending->counts.progress == 0 || last[-1].run != run->id) {
		*last++ = (struct run_progress){.run = run->id};
		pending->counts.progress++;
	}
	last[-1].files++;
	last[-1].bytes += task_bytes(task);
	last[-1].errors = run->errors;
}

int pending_add(struct pending *pending, struct batch *batch, const struct scan_run *runs,
		struct simhash_error *error)
{
	if (array_reserve(&pending->batches, &pending->capacities.batches,
			  pending->counts.batches + 1, sizeof(struct batch *), error) != 0) {
		batch_free(batch);
		return -1;
	}
	pending->batches[pending->counts.batches++] = batch;
	if (reserve(pending, batch, error) != 0)
		return -1;
	for (size_t i = 0; i < batch->removed_count; i++)
		memcpy(pending->removed[pending->counts.removed++], batch->removed[i],
		       PATH_HASH_SIZE);
	take_directory(pending, batch);
	for (size_t i = 0; i < batch->relinked_count; i++)
		pending->relinked[pending->counts.relinked++] = batch->relinked[i];
	for (size_t i = 0; i < batch->count; i++) {
		take_task(pending, &batch->tasks[i]);
		count_task(pending, &batch->tasks[i], runs);
	}
	return 0;
}

struct store_batch pending_changes(const struct pending *pending)
{
	const uint8_t(*removed_files)[PATH_HASH_SIZE] = (void *)pending->removed;
	const uint8_t(*left_files)[PATH_HASH_SIZE] = (void *)pending->left;
	const uint8_t(*removed_directories)[DIRECTORY_HASH_SIZE] =
		(void *)pending->removed_directories;

	return (struct store_batch){
		.removed_directories = removed_directories,
		.removed_directory_count = pending->counts.removed_directories,
		.removed_files = removed_files,
		.removed_file_count = pending->counts.removed,
		.left_files = left_files,
		.left_file_count = pending->counts.left,
		.relinked = pending->relinked,
		.relinked_count = pending->counts.relinked,
		.directories = pending->directories,
		.directory_count = pending->counts.directories,
		.rows = pending->rows,
		.row_count = pending->counts.rows,
		.renewed = pending->renewed,
		.renewed_count = pending->counts.renewed,
		.damages = pending->damages,
		.damage_count = pending->counts.damages,
		.progress = pending->progress,
		.progress_count = pending->counts.progress,
	};
}

void pending_drop(struct pending *pending)
{
	for (size_t i = 0; i < pending->counts.batches; i++)
		batch_free(pending->batches[i]);
	memset(&pending->counts, 0, sizeof pending->counts);
}

void pending_release(struct pending *pending)
{
	pending_drop(pending);
	free(pending->batches);
	free(pending->rows);
	free(pending->directories);
	free(pending->removed);
	free(pending->left);
	free(pending->removed_directories);
	free(pending->damages);
	free(pending->relinked);
	free(pending->renewed);
	free(pending->progress);
}

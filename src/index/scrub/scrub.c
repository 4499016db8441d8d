/*
 * Carries out a run of simhash --scrub: takes files from the queue, lets threads examine them, and
 * commits the results.
 * SPDX-License-Identifier: MIT
 */
#include "index/scrub/scrub.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/data/arena.h"
#include "base/data/array.h"
#include "base/files/identity.h"
#include "base/files/path.h"
#include "base/threads/threads.h"
#include "index/scrub/examine.h"
#include "index/scrub/queue.h"
#include "scan/file/scan_file.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/rows/known_file.h"
#include "store/write/damage_table.h"

#define BATCH_FILES ROWS_WITH_MAX
#define BATCH_BYTES (INT64_C(256) << 20) /* for each thread */
#define BATCH_SECONDS 2
#define COMMIT_FILES 1024
#define COMMIT_AFTER_NS (BATCH_SECONDS * NS_PER_S)
#define COPIES_MAX 16 /* the number of copies to try for a comparison */

enum {
	SCRUB_COLUMNS = ROW_PATH_HASH | ROW_DIRECTORY | ROW_NAME | ROW_SIZE | ROW_MTIME |
			ROW_DEVICE | ROW_INODE | ROW_CONTENT_HASH | ROW_SCANNED_AT |
			ROW_VERIFIED_AT | ROW_STATUS_TIME | ROW_RESEMBLANCE
};

struct scrub {
	const struct scrub_request *request;
	const struct scrub_resources *resources;
	struct scrub_summary *summary;
	struct store *store;
	struct row_scope scope;
	struct damaged_files damaged; /* before this run */
	struct scrub_queue queue;
	struct pace pace;
	int64_t budget, begun_ns;
	/* The files that are examined now, in the order of the queue. */
	struct examination batch[BATCH_FILES];
	uint8_t hashes[BATCH_FILES][PATH_HASH_SIZE];
	size_t count;
	struct arena arena; /* the texts of the batch */
	atomic_size_t next; /* the next file for a thread */
	struct worker {
		struct scrub *scrub;
		struct examiner examiner;
	} * workers;
	unsigned worker_count;
	struct file_scanner scanner;
	bool has_scanner;
	/* The results of the next transaction. */
	struct verified_file verified[COMMIT_FILES];
	size_t verified_count;
	struct damage damages[BATCH_FILES];
	size_t damage_count;
	int64_t committed_ns;
};

/* ---- A batch ---- */

static int copy_texts(struct arena *arena, struct file_row *row)
{
	char *text = arena_take(arena, row->directory.size + row->name.size + 1);

	if (text == NULL)
		return -1;
	memcpy(text, row->directory.data, row->directory.size);
	memcpy(text + row->directory.size, row->name.data, row->name.size);
	row->directory.data = text;
	row->name.data = text + row->directory.size;
	return 0;
}

/* Take files from the queue until the batch is full or the budget is spent. */
static int fill_hashes(struct scrub *scrub, struct simhash_error *error)
{
	int64_t rate = scrub->request->bytes_per_second, bytes = 0;
	int64_t most = BATCH_BYTES * scrub->worker_count;
	const struct queued_file *file;
	int status = 1;

	/* With a slow rate, a batch also ends before the next commit. */
	if (rate > 0 && rate < most / BATCH_SECONDS)
		most = rate * BATCH_SECONDS;
	scrub->count = 0;
	while (scrub->count < BATCH_FILES && bytes < most && scrub->budget > 0 &&
	       (status = scrub_queue_next(&scrub->queue, &file, error)) == 1) {
		memcpy(scrub->hashes[scrub->count++], file->path_hash, PATH_HASH_SIZE);
		bytes += file->size_bytes;
		scrub->budget -= scrub_cost(file->size_bytes);
	}
	return status < 0 ? -1 : 0;
}

static struct examination *place_of(struct scrub *scrub, const uint8_t hash[PATH_HASH_SIZE])
{
	for (size_t i = 0; i < scrub->count; i++)
		if (memcmp(scrub->hashes[i], hash, PATH_HASH_SIZE) == 0)
			return &scrub->batch[i];
	return NULL;
}

/* Read the rows of the batch. Rows that were removed since the queue was made keep no path. */
static int fill_rows(struct scrub *scrub, struct simhash_error *error)
{
	const uint8_t(*hashes)[PATH_HASH_SIZE] = (void *)scrub->hashes;
	struct file_row row = {.host = scrub->scope.host};
	struct row_cursor cursor = {.columns = 0};
	int status;

	memset(scrub->batch, 0, sizeof scrub->batch);
	arena_clear(&scrub->arena);
	if (store_rows_with(&cursor, scrub->store, SCRUB_COLUMNS, &scrub->scope, hashes,
			    scrub->count, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		struct examination *file = place_of(scrub, row.path_hash);
		if (file == NULL)
			continue;
		file->row = row;
		if (copy_texts(&scrub->arena, &file->row) == 0)
			file->path = path_join(file->row.directory, file->row.name);
		if (file->path == NULL) {
			status = error_set_memory(error);
			break;
		}
		file->was_damaged = damaged_files_have(&scrub->damaged, &file->row);
	}
	store_rows_end(&cursor);
	return status;
}

static void drop_batch(struct scrub *scrub)
{
	for (size_t i = 0; i < scrub->count; i++)
		free(scrub->batch[i].path);
	scrub->count = 0;
}

/* ---- Threads ---- */

/* Was the run stopped, or is its time over? */
static bool is_time_over(const struct scrub *scrub)
{
	return atomic_load(scrub->resources->stop) ||
	       (scrub->request->time_ns > 0 &&
		clock_monotonic_ns() - scrub->begun_ns >= scrub->request->time_ns);
}

/* Is a file of the batch, according to its row, another name of the file before it? */
static bool is_other_name(const struct scrub *scrub, size_t i)
{
	const struct file_row *row = &scrub->batch[i].row, *before;

	if (i == 0 || scrub->batch[i].path == NULL || scrub->batch[i - 1].path == NULL)
		return false;
	before = &scrub->batch[i - 1].row;
	return row->inode != 0 && row->inode == before->inode && row->device == before->device &&
	       row->size_bytes == before->size_bytes && row->mtime_ns == before->mtime_ns &&
	       memcmp(row->content_hash, before->content_hash, CONTENT_HASH_SIZE) == 0;
}

static void show_path(const struct scrub *scrub, const struct examination *file)
{
	if (scrub->resources->progress != NULL)
		index_progress_set_path(scrub->resources->progress, file->row.directory,
					file->row.name);
}

static void *work(void *context)
{
	struct worker *worker = context;
	struct scrub *scrub = worker->scrub;
	size_t i;

	while ((i = atomic_fetch_add(&scrub->next, 1)) < scrub->count) {
		struct examination *file = &scrub->batch[i];
		if (file->path == NULL || is_other_name(scrub, i))
			continue;
		show_path(scrub, file);
		if (is_time_over(scrub))
			file->result = EXAMINED_STOPPED;
		else
			examine(&worker->examiner, file);
	}
	return NULL;
}

/* Give the result of the file before it to another name of this file, or examine it. */
static void finish_name(struct scrub *scrub, size_t i)
{
	struct examination *file = &scrub->batch[i];
	const struct examination *before = &scrub->batch[i - 1];
	struct file_identity now;

	if (file_identity_read(AT_FDCWD, file->path, &now) != 0 || now.device != before->device ||
	    now.inode != before->inode || before->result == EXAMINED_CHANGED) {
		examine(&scrub->workers[0].examiner, file);
		return;
	}
	file->result = before->result;
	file->system_errno = before->system_errno;
	file->is_damage = before->is_damage;
	file->damage = before->damage;
	memcpy(file->damage.path_hash, file->row.path_hash, PATH_HASH_SIZE);
	file->begun_ns = before->begun_ns;
	file->changed_ns = before->changed_ns;
	file->device = before->device;
	file->inode = before->inode;
	if (scrub->resources->progress != NULL)
		atomic_fetch_add(&scrub->resources->progress->bytes_done, file->row.size_bytes);
}

static void examine_batch(struct scrub *scrub)
{
	atomic_init(&scrub->next, 0);
	threads_run(scrub->worker_count, work, scrub->workers, sizeof *scrub->workers);
	for (size_t i = 1; i < scrub->count; i++)
		if (is_other_name(scrub, i))
			finish_name(scrub, i);
}

/* ---- The extent of damage ---- */

/* Read the paths of files on this host that should have the content of a row. */
static int read_copies(struct scrub *scrub, const struct examination *file, char **copies,
		       size_t *count, struct simhash_error *error)
{
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int status;

	*count = 0;
	if (store_rows_same(&cursor, scrub->store,
			    ROW_PATH_HASH | ROW_DIRECTORY | ROW_NAME | ROW_COMPRESSED_SIZE,
			    &scrub->scope, file->row.path_hash, error) != 0)
		return -1;
	while (*count < COPIES_MAX && (status = store_rows_next(&cursor, &row, error)) == 1) {
		if (row.host != scrub->scope.host || row_is_inside(row.compressed_size_bytes) ||
		    memcmp(row.path_hash, file->row.path_hash, PATH_HASH_SIZE) == 0)
			continue;
		copies[*count] = path_join(row.directory, row.name);
		if (copies[(*count)++] == NULL) {
			status = error_set_memory(error);
			break;
		}
	}
	store_rows_end(&cursor);
	return status < 0 ? -1 : 0;
}

/* Without an intact copy, the sketches of the right and of the found content are compared. */
static void estimate_extent(struct scrub *scrub, struct examination *file)
{
	struct file_row found = {.name = file->row.name};
	double resemblance;

	if (!scrub->has_scanner || !file->row.has_resemblance ||
	    scan_file(&scrub->scanner, AT_FDCWD, file->path, NULL, &found) != SCAN_DONE)
		return;
	if (found.has_resemblance &&
	    simhash_resemblance_estimate(&file->row.resemblance, file->row.size_bytes,
					 &found.resemblance, found.size_bytes, &resemblance))
		file->damage.resemblance_ppm = (int64_t)(resemblance * 1e6);
	row_sketches_drop(found.sketches);
}

static int find_extent(struct scrub *scrub, struct examination *file, struct simhash_error *error)
{
	char *copies[COPIES_MAX];
	size_t count;
	int status = read_copies(scrub, file, copies, &count, error);
	bool is_done = false;

	for (size_t i = 0; i < count; i++) {
		if (status == 0 && !is_done && !atomic_load(scrub->resources->stop))
			is_done = examine_extent(&scrub->workers[0].examiner, file, copies[i]);
		free(copies[i]);
	}
	if (status == 0 && !is_done && !atomic_load(scrub->resources->stop))
		estimate_extent(scrub, file);
	return status;
}

/* ---- Results ---- */

static int commit(struct scrub *scrub, struct simhash_error *error)
{
	int status = 0;

	if (scrub->verified_count + scrub->damage_count > 0)
		status = store_write_verified(scrub->store, &scrub->scope, scrub->verified,
					      scrub->verified_count, scrub->damages,
					      scrub->damage_count, error);
	scrub->verified_count = scrub->damage_count = 0;
	scrub->committed_ns = clock_monotonic_ns();
	return status;
}

static void report(const struct scrub *scrub, const struct examination *file,
		   enum scrub_event event)
{
	const struct scrub_report said = {.event = event,
					  .path = bytes_of(file->path),
					  .damage = file->is_damage ? &file->damage : NULL,
					  .system_errno = file->system_errno};

	scrub->resources->report(scrub->resources->context, &said);
}

static void take_right(struct scrub *scrub, const struct examination *file)
{
	struct verified_file *verified = &scrub->verified[scrub->verified_count++];

	*verified = (struct verified_file){.verified_at_ns = file->begun_ns,
					   .changed_ns = file->changed_ns,
					   .was_damaged = file->was_damaged};
	memcpy(verified->path_hash, file->row.path_hash, PATH_HASH_SIZE);
	memcpy(verified->content_hash, file->row.content_hash, CONTENT_HASH_SIZE);
	scrub->summary->verified++;
	if (!file->was_damaged)
		return;
	scrub->summary->right_again++;
	report(scrub, file, SCRUB_RIGHT_AGAIN);
}

static int take_damage(struct scrub *scrub, struct examination *file, struct simhash_error *error)
{
	if (!file->damage.is_unreadable && find_extent(scrub, file, error) != 0)
		return -1;
	scrub->damages[scrub->damage_count++] = file->damage;
	return 0;
}

/* A file that was not verified stays first in the queue. It must not use up the share of each run. */
static void give_back(struct scrub *scrub, const struct examination *file)
{
	if (scrub->request->share < 1 && !file->is_damage)
		scrub->budget += scrub_cost(file->row.size_bytes);
}

/* Files come in the order of their verification. */
static void note_oldest(struct scrub_summary *summary, const struct file_row *row)
{
	int64_t verified_ns = row->verified_at_ns > row->scanned_at_ns ? row->verified_at_ns
								       : row->scanned_at_ns;

	if (summary->oldest_ns == 0 || verified_ns < summary->oldest_ns)
		summary->oldest_ns = verified_ns;
}

static int take_result(struct scrub *scrub, struct examination *file, struct simhash_error *error)
{
	struct scrub_summary *summary = scrub->summary;

	if (file->path == NULL)
		return 0;
	summary->bytes += (uint64_t)file->read_bytes;
	if (file->is_damage && file->result != EXAMINED_STOPPED &&
	    take_damage(scrub, file, error) != 0)
		return -1;
	switch (file->result) {
	case EXAMINED_RIGHT:
		take_right(scrub, file);
		break;
	case EXAMINED_CHANGED:
		summary->changed++;
		give_back(scrub, file);
		break;
	case EXAMINED_DAMAGED:
		summary->damaged += !file->damage.status_moved;
		summary->restored += file->damage.status_moved;
		report(scrub, file, SCRUB_DAMAGED);
		break;
	case EXAMINED_FAILED:
		summary->failed++;
		give_back(scrub, file);
		report(scrub, file, SCRUB_UNREADABLE);
		break;
	case EXAMINED_STOPPED:
		note_oldest(summary, &file->row);
		return 0;
	}
	summary->files_left--;
	summary->bytes_left -= (uint64_t)file->row.size_bytes;
	if (scrub->resources->progress != NULL)
		atomic_fetch_add(&scrub->resources->progress->files_done, 1);
	return 0;
}

static int take_results(struct scrub *scrub, struct simhash_error *error)
{
	for (size_t i = 0; i < scrub->count; i++)
		if (take_result(scrub, &scrub->batch[i], error) != 0)
			return -1;
	if (scrub->damage_count > 0 || scrub->verified_count + BATCH_FILES > COMMIT_FILES ||
	    clock_monotonic_ns() - scrub->committed_ns >= COMMIT_AFTER_NS)
		return commit(scrub, error);
	return 0;
}

/* ---- The run ---- */

static int verify_all(struct scrub *scrub, struct simhash_error *error)
{
	const struct queued_file *next;
	int status = 0;

	while (status == 0 && scrub->budget > 0 && !is_time_over(scrub)) {
		status = fill_hashes(scrub, error);
		if (status == 0 && scrub->count == 0)
			break;
		if (status == 0)
			status = fill_rows(scrub, error);
		if (status == 0) {
			examine_batch(scrub);
			status = take_results(scrub, error);
		}
		drop_batch(scrub);
	}
	if (status == 0)
		status = commit(scrub, error);
	if (status == 0 && scrub->summary->oldest_ns == 0 &&
	    scrub_queue_next(&scrub->queue, &next, error) == 1)
		scrub->summary->oldest_ns = next->verified_at_ns;
	return status;
}

static int open_index(struct scrub *scrub, struct simhash_error *error)
{
	int64_t replaced;
	const struct scrub_request *request = scrub->request;
	struct store_location quiet = request->location;

	/* Opening for writing would create a missing index. */
	if (store_open(&request->location, OPEN_TO_READ, &scrub->store, error) != 0)
		return -1;
	store_close(scrub->store);
	scrub->store = NULL;
	quiet.warning = NULL;
	if (store_open(&quiet, OPEN_TO_WRITE, &scrub->store, error) != 0 ||
	    store_tag_set_id(scrub->store, request->tag_set, false, &scrub->scope.tag_set, error) !=
		    0 ||
	    store_host_id(scrub->store, request->host, false, &scrub->scope.host, error) != 0)
		return -1;
	if (scrub->scope.host == 0 || scrub->scope.tag_set == 0)
		return error_set(error, SIMHASH_E_RANGE, "the index has no files of host '%s'",
				 request->host);
	return store_clean_damage(scrub->store, &scrub->scope, &replaced, error) == 0
		       ? damaged_files_read(&scrub->damaged, scrub->store, scrub->scope.tag_set,
					    error)
		       : -1;
}

static int make_workers(struct scrub *scrub, struct simhash_error *error)
{
	const struct scrub_resources *resources = scrub->resources;

	scrub->workers = calloc(resources->threads, sizeof *scrub->workers);
	if (scrub->workers == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < resources->threads; i++) {
		struct worker *worker = &scrub->workers[scrub->worker_count++];
		worker->scrub = scrub;
		worker->examiner = (struct examiner){
			.own = scrub->store, .stop = resources->stop, .pace = &scrub->pace};
		if (resources->progress != NULL)
			worker->examiner.bytes_read = &resources->progress->bytes_done;
		if (examiner_init(&worker->examiner, error) != 0)
			return -1;
	}
	scrub->has_scanner = file_scanner_init(&scrub->scanner, scrub->request->tag_set, true,
					       resources->stop, error) == 0;
	return scrub->has_scanner ? 0 : -1;
}

/* The share of the bytes is rounded up, so that each run verifies at least one file. */
static void set_budget(struct scrub *scrub)
{
	const struct scrub_queue *queue = &scrub->queue;
	struct index_progress *progress = scrub->resources->progress;
	double wanted = scrub->request->share * (double)queue->bytes;

	scrub->budget = scrub->request->share >= 1 ? INT64_MAX : (int64_t)wanted + 1;
	scrub->summary->files_left = queue->files;
	scrub->summary->bytes_left =
		(uint64_t)(queue->bytes - (int64_t)queue->files * scrub_cost(0));
	if (progress == NULL)
		return;
	atomic_store(&progress->files_found,
		     (long long)((double)queue->files * scrub->request->share));
	atomic_store(&progress->bytes_found,
		     (long long)((double)scrub->summary->bytes_left * scrub->request->share));
	atomic_store(&progress->is_counted, scrub->request->time_ns == 0);
}

static int check_tops(struct scrub *scrub, struct simhash_error *error)
{
	const struct scrub_request *request = scrub->request;

	for (size_t i = 0; i < request->top_count; i++) {
		bool has_rows;
		if (store_has_rows_at(scrub->store, &scrub->scope, request->tops[i].data, &has_rows,
				      error) != 0)
			return -1;
		if (!has_rows)
			return store_say_not_indexed(request->tops[i], error);
	}
	return 0;
}

static int run(struct scrub *scrub, struct simhash_error *error)
{
	if (open_index(scrub, error) != 0 || check_tops(scrub, error) != 0 ||
	    make_workers(scrub, error) != 0 ||
	    scrub_queue_init(&scrub->queue, scrub->store, &scrub->scope, scrub->request->tops,
			     scrub->request->top_count, scrub->resources->stop, error) != 0)
		return -1;
	set_budget(scrub);
	scrub->pace.bytes_per_second = scrub->request->bytes_per_second;
	scrub->pace.begun_ns = scrub->committed_ns = clock_monotonic_ns();
	return verify_all(scrub, error);
}

int scrub_files(const struct scrub_request *request, const struct scrub_resources *resources,
		struct scrub_summary *summary, struct simhash_error *error)
{
	struct scrub *scrub = calloc(1, sizeof *scrub);
	int64_t begun_ns = clock_monotonic_ns();
	int status;

	memset(summary, 0, sizeof *summary);
	if (scrub == NULL)
		return error_set_memory(error);
	scrub->request = request;
	scrub->resources = resources;
	scrub->summary = summary;
	scrub->begun_ns = begun_ns;
	status = run(scrub, error);
	if (status != 0 && error->code == ERROR_STOPPED)
		status = 0;
	summary->is_interrupted = atomic_load(resources->stop);
	summary->seconds = (double)(clock_monotonic_ns() - begun_ns) / (double)NS_PER_S;
	for (unsigned i = 0; i < scrub->worker_count; i++)
		examiner_release(&scrub->workers[i].examiner);
	free(scrub->workers);
	if (scrub->has_scanner)
		file_scanner_release(&scrub->scanner);
	scrub_queue_release(&scrub->queue);
	damaged_files_release(&scrub->damaged);
	arena_release(&scrub->arena);
	store_close(scrub->store);
	free(scrub);
	return status;
}

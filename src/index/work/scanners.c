/*
 * Scans batches of files in threads, and makes one row for all names of a file.
 * SPDX-License-Identifier: MIT
 */
#include "index/work/scanners.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/identity.h"
#include "base/files/path.h"
#include "index/work/hard_links.h"
#include "index/work/writer.h"
#include "scan/archive/sandbox.h"
#include "scan/file/container_kind.h"
#include "scan/file/scan_file.h"
#include "scan/file/shared_scan.h"

/* A gzip file is read for its own row, for its content and for its members. */
static void report(struct scanners *scanners, const struct task *task, int system_errno)
{
	const struct directory *directory = task->found.directory;
	struct bytes name = bytes_of(task->found.open_name);
	char *path = path_join(directory_path(directory), name);
	int why = task->found.is_inflated ? container_failure_of(system_errno) : system_errno;
	struct bytes shown = path == NULL ? name : bytes_of(path);

	if (is_gzip_name(name))
		failures_report_once(scanners->failures, directory->root, shown, why);
	else
		failures_report(scanners->failures, directory->root, shown, why);
	free(path);
}

/* ---- The ends of tasks and batches ---- */

/* End a part of a batch. The last part passes the batch to the writer. */
static void end_part(struct scanners *scanners, struct batch *batch)
{
	if (atomic_fetch_sub(&batch->unfinished, 1) > 1)
		return;
	lanes_count_out(&scanners->lanes);
	queue_push(&scanners->writer->queue, batch);
}

/* End the scan of a task, with or without success. */
static void end_task(struct scanners *scanners, struct task *task)
{
	struct batch *batch = task->batch;

	directory_end_use(task->found.directory);
	end_part(scanners, batch);
}

/* ---- Tasks ---- */

static enum scan_outcome scan_content(struct scanners *scanners, struct file_scanner *scanner,
				      struct shared_scan *shared, struct task *task)
{
	struct index_progress *progress = scanners->resources->progress;
	int fd = task->found.directory->fd;

	if (atomic_load_explicit(scanners->resources->stop, memory_order_relaxed))
		return SCAN_STOPPED;
	if (progress != NULL)
		index_progress_set_path(progress, task->row.directory, task->row.name);
	return task->found.is_inflated
		       ? scan_inflated(scanner, fd, task->found.open_name, &task->row)
		       : scan_file(scanner, fd, task->found.open_name, shared, &task->row);
}

/* Count a task as done, with its bytes that were not counted during reading. */
static void count_done(struct scanners *scanners, const struct task *task, bool was_counted)
{
	struct index_progress *progress = scanners->resources->progress;

	if (progress != NULL)
		index_progress_add(progress, 1, was_counted ? 0 : task->found.size_bytes);
}

/* Examine the content of a file that has a row. */
static void look_inside(struct scanners *scanners, struct file_scanner *scanner, struct task *task)
{
	bool is_paused;

	if (!task->result.is_scanned || task->found.is_inflated)
		return;
	if (scanner->containers == 0 && !task->known.has_members &&
	    members_filter(&scanners->members, task) == NULL)
		return;
	/* A container was read just now, so its members are in the page cache. */
	is_paused = scanner->has_kind && scanner->kind != 0 &&
		    lanes_pause(&scanners->lanes, task->batch);
	members_look(&scanners->members, scanner, task);
	if (is_paused)
		lanes_resume(&scanners->lanes, task->batch->lane);
}

/*
 * Choose the parts to compute for a task's file. If no other sketches are requested, an unchanged
 * file keeps its resemblance sketch.
 */
static void choose(const struct scanners *scanners, struct file_scanner *scanner,
		   const struct task *task)
{
	scanner->containers = members_kinds(&scanners->members, task);
	scanner->was_cached = true;
	scanner->is_others = task->found.is_others;
	scanner->has_filter = members_filter(&scanners->members, task) != NULL;
	scanner->no_resemblance = scanners->request->no_sketch && !task->known.has_sketch;
}

/*
 * A file that nobody seems to have changed was read. Does it have another content than its row, and
 * did nobody change it in the meantime?
 */
static bool is_damaged(const struct task *task)
{
	const struct known_content *right = &task->known.right;
	const struct file_row *row = &task->row;
	struct file_identity now;

	if (!task->known.has_right || row->mtime_ns != right->mtime_ns ||
	    (row->size_bytes == right->size_bytes &&
	     memcmp(row->content_hash, right->hash, CONTENT_HASH_SIZE) == 0) ||
	    (row->size_bytes != right->size_bytes && row->changed_ns != right->changed_ns))
		return false;
	return file_identity_read(task->found.directory->fd, task->found.open_name, &now) == 0 &&
	       now.size_bytes == row->size_bytes && now.mtime_ns == row->mtime_ns &&
	       now.changed_ns == row->changed_ns;
}

/* The row keeps the right content, and the damage is stored. */
static void take_damage(struct scanners *scanners, struct task *task)
{
	struct directory *directory = task->found.directory;
	char *path = path_join(directory_path(directory), bytes_of(task->found.open_name));

	task->result.is_scanned = false;
	task->result.is_damaged = true;
	failures_report_text(scanners->failures, directory->root,
			     path == NULL ? bytes_of(task->found.open_name) : bytes_of(path),
			     "its bytes changed, its time did not: it is damaged, or a program "
			     "restored the time; the index keeps the hash of the right content");
	free(path);
}

/* The lane of a disk depends on whether its files are in the page cache. */
static void note_cached(const struct file_scanner *scanner, const struct task *task)
{
	struct lane *lane = task->batch->lane;

	if (lane != NULL && task->result.is_scanned && !task->found.is_inflated &&
	    task->row.size_bytes > 0)
		lane_note(lane, scanner->was_cached);
}

/* Read a task's file. */
static void scan_task(struct scanners *scanners, struct file_scanner *scanner,
		      struct shared_scan *shared, struct task *task)
{
	enum scan_outcome outcome;

	choose(scanners, scanner, task);
	outcome = scan_content(scanners, scanner, shared, task);
	task->result.is_scanned = outcome == SCAN_DONE;
	note_cached(scanner, task);
	if (outcome == SCAN_DONE && is_damaged(task))
		take_damage(scanners, task);
	look_inside(scanners, scanner, task);
	if (outcome == SCAN_FAILED)
		report(scanners, task, errno);
	if (outcome == SCAN_DONE && task->found.is_inflated && scanner->has_rest)
		report(scanners, task, CONTAINER_HAS_REST);
	count_done(scanners, task, task->result.is_scanned && !task->found.is_inflated);
}

/*
 * Complete a task whose row was copied from another name or path of its file. Only the keys must be
 * computed.
 */
static void complete_copy(struct scanners *scanners, struct file_scanner *scanner,
			  struct task *task)
{
	row_compute_keys(&task->row, scanners->request->tag_set);
	task->result.is_scanned = true;
	task->result.is_copied = true;
	if (!task->result.is_moved) {
		scanner->has_kind = false;
		choose(scanners, scanner, task);
		task->row.contents = 0;
		look_inside(scanners, scanner, task);
	}
	count_done(scanners, task, false);
	end_task(scanners, task);
}

/* Scan the leader of a link and complete all its parked tasks. */
static void scan_leader(struct scanners *scanners, struct file_scanner *scanner,
			struct shared_scan *shared, struct task *task)
{
	while (task != NULL) {
		struct task *parked, *next;
		scan_task(scanners, scanner, shared, task);
		parked = hard_links_finish(scanners->links, task);
		end_task(scanners, task);
		shared = NULL; /* the scan was shared only for that file */
		for (task = parked; task != NULL && !task->names.is_leader; task = next) {
			next = task->names.next_parked;
			complete_copy(scanners, scanner, task);
		}
	}
}

/* Complete a task, or leave it to the thread that scans another name of its file. */
static void handle_task(struct scanners *scanners, struct file_scanner *scanner,
			struct shared_scan *shared, struct task *task)
{
	enum hard_link_answer answer = LINK_SCAN;

	if (task->result.is_moved) {
		complete_copy(scanners, scanner, task);
		return;
	}
	if (task->found.looks_only) {
		choose(scanners, scanner, task);
		members_look(&scanners->members, scanner, task);
		end_task(scanners, task);
		return;
	}
	if (task->names.link == NULL) {
		scan_task(scanners, scanner, shared, task);
		end_task(scanners, task);
		return;
	}
	if (!task->names.is_leader)
		answer = hard_links_take(scanners->links, task);
	if (answer == LINK_COPIED)
		complete_copy(scanners, scanner, task);
	else if (answer == LINK_SCAN)
		scan_leader(scanners, scanner, shared, task);
}

/* If the thread has not enough memory to scan, report the file of the task as unreadable. */
static void fail_task(struct scanners *scanners, struct task *task)
{
	while (task != NULL) {
		struct task *parked = NULL;
		report(scanners, task, ENOMEM);
		if (task->names.link != NULL && task->names.is_leader)
			parked = hard_links_finish(scanners->links, task);
		end_task(scanners, task);
		task = parked;
	}
}

/* ---- Threads ---- */

static int file_scanner_new(struct scanners *scanners, struct file_scanner *scanner)
{
	const struct index_request *request = scanners->request;
	const struct index_resources *resources = scanners->resources;
	struct simhash_error error;

	if (file_scanner_init(scanner, request->tag_set, request->follow, resources->stop,
			      &error) != 0)
		return -1;
	if (file_scanner_measure(scanner, request->measures, request->measure_count,
				 request->hashes, &error) != 0) {
		file_scanner_release(scanner);
		return -1;
	}
	if (request->sandbox != NULL && sandbox_isolate(scanner, request->sandbox, &error) != 0) {
		file_scanner_release(scanner);
		return -1;
	}
	if (!request->no_pieces)
		file_scanner_collect(scanner, request->piece_levels);
	scanner->own = scanners->own;
	scanner->max_inflated_bytes = request->max_inflated_bytes;
	scanner->inflated_left = &scanners->inflated_left;
	scanner->max_depth = request->max_depth;
	if (resources->progress != NULL)
		scanner->bytes_read = &resources->progress->bytes_done;
	return 0;
}

/* `scanner` is NULL for a thread without enough memory to scan. */
static void handle_batch(struct scanners *scanners, struct file_scanner *scanner,
			 struct batch *batch)
{
	if (batch->shared != NULL && batch->count == 0) {
		if (scanner != NULL)
			shared_scan_help(batch->shared, scanner);
		lanes_count_out(&scanners->lanes);
		batch_free(batch);
		return;
	}
	atomic_init(&batch->unfinished, batch->count + 1);
	for (size_t i = 0; i < batch->count; i++)
		if (scanner != NULL)
			handle_task(scanners, scanner, batch->shared, &batch->tasks[i]);
		else
			fail_task(scanners, &batch->tasks[i]);
	if (batch->shared != NULL)
		shared_scan_cancel(batch->shared);
	lanes_leave(&scanners->lanes, batch);
	end_part(scanners, batch);
}

static void *scanner_main(void *argument)
{
	struct scanners *scanners = argument;
	struct file_scanner scanner;
	struct batch *batch;
	bool is_ready = file_scanner_new(scanners, &scanner) == 0;

	while ((batch = lanes_pop(&scanners->lanes)) != NULL)
		handle_batch(scanners, is_ready ? &scanner : NULL, batch);
	if (is_ready)
		file_scanner_release(&scanner);
	queue_producer_leaves(&scanners->writer->queue);
	return NULL;
}

int scanners_start(struct scanners *scanners, struct simhash_error *error)
{
	unsigned started, wanted = scanners->resources->threads;

	scanners->members = (struct members_use){.request = scanners->request,
						 .failures = scanners->failures,
						 .writer = scanners->writer};
	atomic_init(&scanners->inflated_left, scanners->request->max_inflated_total_bytes);
	lanes_init(&scanners->lanes, scanners->request->disk_threads);
	largest_init(&scanners->largest, scanners->kept_max);
	started = threads_start(&scanners->threads, wanted, scanner_main, scanners, 0);
	for (unsigned i = started; i < wanted; i++)
		queue_producer_leaves(&scanners->writer->queue);
	return started == 0 ? error_set(error, SIMHASH_E_SYSTEM, "cannot start a thread") : 0;
}

void scanners_join(struct scanners *scanners)
{
	threads_join(&scanners->threads);
	largest_release(&scanners->largest);
	lanes_release(&scanners->lanes);
}

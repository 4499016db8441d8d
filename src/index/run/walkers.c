/*
 * Walks all roots in several threads: finds files, compares them with the index, and feeds the
 * scanners.
 * SPDX-License-Identifier: MIT
 */
#include "index/run/walkers.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/threads/threads.h"
#include "index/run/look_ahead.h"
#include "index/run/moved.h"
#include "index/walk/file_list.h"
#include "index/work/lanes.h"
#include "index/work/scanners.h"
#include "store/open/store.h"
#include "store/rows/known_file.h"
#include "store/rows/known_table.h"
#include "store/write/sketch_table.h"

/*
 * Prepare for a long wait: flush the feed, because other threads may need its batch, and end the
 * view, because it prevents SQLite from reusing its log.
 */
static void rest(struct walker_thread *thread)
{
	feed_flush(&thread->feed);
	reconciler_rest(&thread->reconciler);
}

/* Decide about the files of a chunk, unless there are none at the moment (WALK_IDLE). */
static int handle(struct walker_thread *thread, int found, const struct chunk *chunk)
{
	struct walkers *walkers = thread->walkers;
	struct reconciler *reconciler = &thread->reconciler;

	if (found == WALK_IDLE) {
		rest(thread);
		return 0;
	}
	if (reconciler->has_rows &&
	    vanished_meet(walkers->vanished, chunk->directory->hash, &thread->error) != 0)
		return -1;
	if (reconcile_chunk(reconciler, chunk, &thread->feed, &thread->error) != 0)
		return -1;
	feed_limit_directories(&thread->feed, walkers->directories_max);
	return 0;
}

/* Do one walker's share of a walk. */
static void *walk_share(void *argument)
{
	struct walker_thread *thread = argument;
	struct walk *walk = thread->walkers->walk;
	struct walker *walker = walker_new(walk, &thread->error);
	struct chunk chunk;
	int found = -1, status = 0;

	while (walker != NULL && status == 0 &&
	       (found = walk_next(walker, &chunk, &thread->error)) > 0)
		status = handle(thread, found, &chunk);
	if (status != 0 || found < 0) {
		thread->status = -1;
		walk_cancel(walk);
	}
	rest(thread);
	walker_free(walker);
	return NULL;
}

static int walk_tree(struct walkers *walkers, const struct root *root, struct simhash_error *error)
{
	unsigned count = walk_walkers_max(root, &walkers->options);

	walkers->walk = walk_new(root, &walkers->options, error);
	if (walkers->walk == NULL)
		return -1;
	if (count > walkers->count)
		count = walkers->count;
	threads_run(count, walk_share, walkers->threads, sizeof *walkers->threads);
	walk_free(walkers->walk);
	for (unsigned i = 0; i < count; i++)
		if (walkers->threads[i].status != 0) {
			*error = walkers->threads[i].error;
			return -1;
		}
	return 0;
}

static int walk_list(struct walkers *walkers, const struct root *root, struct simhash_error *error)
{
	struct walker_thread *thread = &walkers->threads[0];
	struct file_list *list =
		file_list_new(walkers->request->list_fd, root, &walkers->options, &thread->error);
	struct chunk chunk;
	int found = -1, status = 0;

	while (list != NULL && status == 0 &&
	       (found = file_list_next(list, &chunk, &thread->error)) > 0) {
		status = handle(thread, found, &chunk);
		if (found == WALK_IDLE) /* the list may end late, or never */
			lanes_flush(&walkers->scanners->lanes, NULL);
	}
	rest(thread);
	if (list != NULL) {
		walkers->listed_directories = file_list_directories(list);
		walkers->listed_others = file_list_others(list);
	}
	file_list_free(list);
	if (status == 0 && found >= 0)
		return 0;
	*error = thread->error;
	return -1;
}

/* While a directory is walked, the files of other disks can be read. */
static void leave_other_disks(struct walkers *walkers, const struct root *root)
{
	struct lanes *lanes = &walkers->scanners->lanes;
	int fd = root->is_directory ? open_path(root->path, OPEN_TO_REACH) : -1;
	struct stat status;

	if (fd >= 0 && fstat(fd, &status) == 0)
		lanes_flush(lanes, lanes_find(lanes, fd, (uint64_t)status.st_dev));
	if (fd >= 0)
		close(fd);
}

static int walk_root(struct walkers *walkers, const struct root *root, struct simhash_error *error)
{
	struct reconciler *reconciler = &walkers->threads[0].reconciler;
	int status;

	leave_other_disks(walkers, root);
	status = root->is_list ? walk_list(walkers, root, error) : walk_tree(walkers, root, error);
	if (status == 0 && root->is_directory && reconciler->has_rows)
		status = vanished_find(walkers->vanished, reconciler->store, &walkers->scope, root,
				       walkers->failures, error);
	vanished_forget_met(walkers->vanished);
	failures_forget_unread(walkers->failures);
	return status;
}

/*
 * Connect the walkers to the index. If there are no rows to compare with, one connection is enough.
 */
static int connect_all(struct walkers *walkers, struct simhash_error *error)
{
	bool has_rows = false;

	for (unsigned i = 0; i < walkers->count && (i == 0 || has_rows); i++) {
		struct reconciler *reconciler = &walkers->threads[i].reconciler;
		if (store_open_beside(walkers->store, &reconciler->store, error) != 0)
			return -1;
		store_want_measures(reconciler->store, walkers->measures, walkers->measure_count);
		store_want_containers(reconciler->store, walkers->request->containers);
		if (!walkers->request->no_pieces && !walkers->request->no_sketch)
			store_want_pieces(reconciler->store);
		if (walkers->request->filters != NULL)
			store_want_filters(reconciler->store, filter_commands_number,
					   walkers->request->filters);
		if (i == 0 &&
		    store_has_rows(reconciler->store, &walkers->scope, &has_rows, error) != 0)
			return -1;
		reconciler->has_rows = has_rows;
	}
	return 0;
}

/*
 * Look for moved files only if rows can lose their files, that is, below walked directories with
 * rows. Do not look for them if all files are read anyway, if links lead to files by several paths,
 * or if measures are requested, because a row lacks their sketches as soon as its path changes.
 */
static int prepare_moved(struct walkers *walkers, struct simhash_error *error)
{
	const struct index_request *request = walkers->request;
	struct reconciler *first = &walkers->threads[0].reconciler;

	if (!first->has_rows || request->force || request->follow || walkers->measure_count > 0)
		return 0;
	for (unsigned i = 0; i < walkers->roots->count && !walkers->looks_for_moved; i++) {
		const struct root *root = &walkers->roots->items[i];
		if (root->is_directory && !root->is_skipped &&
		    store_has_rows_below(first->store, &walkers->scope, bytes_of(root->path),
					 &walkers->looks_for_moved, error) != 0)
			return -1;
	}
	for (unsigned i = 0; i < walkers->count && walkers->looks_for_moved; i++) {
		struct walker_thread *thread = &walkers->threads[i];
		thread->aside.bounds = &walkers->bounds;
		thread->reconciler.aside = &thread->aside;
	}
	return 0;
}

static int walk_roots(struct walkers *walkers, struct simhash_error *error)
{
	for (unsigned i = 0; i < walkers->roots->count; i++) {
		const struct root *root = &walkers->roots->items[i];
		if (!root->is_skipped && walk_root(walkers, root, error) != 0)
			return -1;
	}
	return 0;
}

static int walk_all(struct walkers *walkers, struct simhash_error *error)
{
	struct known_table *table = NULL;
	int status = connect_all(walkers, error);

	if (status == 0)
		status = prepare_moved(walkers, error);
	if (status == 0)
		status = look_ahead(walkers, &table, error);
	if (status == 0)
		status = walk_roots(walkers, error);
	known_table_free(table);
	return status == 0 ? moved_settle(walkers, error) : -1;
}

static void *walkers_main(void *argument)
{
	struct walkers *walkers = argument;

	walkers->status = walk_all(walkers, &walkers->error);
	if (walkers->status != 0 && walkers->error.code != ERROR_STOPPED)
		atomic_store(walkers->resources->stop, true);
	for (unsigned i = 0; i < walkers->count; i++) {
		feed_release(&walkers->threads[i].feed);
		put_aside_release(&walkers->threads[i].aside);
		store_close(walkers->threads[i].reconciler.store);
	}
	feed_end(walkers->scanners);
	lanes_end(&walkers->scanners->lanes);
	return NULL;
}

static void prepare(struct walkers *walkers)
{
	int64_t begun_ns = clock_wall_ns();
	const struct index_request *request = walkers->request;
	const struct index_resources *resources = walkers->resources;

	walkers->count = resources->threads < WALKERS_MAX ? resources->threads : WALKERS_MAX;
	walkers->directories_max = directory_open_max();
	for (unsigned i = 0; i < walkers->count; i++)
		walkers->threads[i] = (struct walker_thread){
			.walkers = walkers,
			.reconciler = {.scope = walkers->scope,
				       .force = request->force,
				       .resemble = !request->no_sketch,
				       .inflates = request->inflate,
				       .follow = request->follow,
				       .begun_ns = begun_ns,
				       .failures = walkers->failures,
				       .progress = resources->progress},
			.feed = {.scanners = walkers->scanners},
		};
}

int walkers_start(struct walkers *walkers, struct simhash_error *error)
{
	prepare(walkers);
	return pthread_create(&walkers->main, NULL, walkers_main, walkers) == 0
		       ? 0
		       : error_set(error, SIMHASH_E_SYSTEM, "cannot start a thread");
}

int walkers_join(struct walkers *walkers, struct simhash_error *error)
{
	pthread_join(walkers->main, NULL);
	if (walkers->status != 0)
		*error = walkers->error;
	return walkers->status;
}

uint64_t walkers_unchanged(const struct walkers *walkers)
{
	uint64_t unchanged = 0;

	for (unsigned i = 0; i < walkers->count; i++)
		unchanged += walkers->threads[i].reconciler.unchanged;
	return unchanged;
}

/*
 * Decides with a sample of directories whether to read ahead, and reads ahead in all threads.
 * SPDX-License-Identifier: MIT
 */
#include "index/run/look_ahead.h"

#include "base/files/path.h"
#include "base/threads/threads.h"
#include "store/open/connection.h"
#include "store/open/store.h"
#include "store/open/view.h"
#include "store/rows/known_file.h"
#include "store/rows/known_table.h"

/*
 * The limit for the rows that are read ahead: about 700,000 files as rows, or a million directories
 * as digests. Directories beyond the limit are queried one by one.
 */
#ifndef TABLE_BYTES
#define TABLE_BYTES ((size_t)24 << 20)
#endif

static bool will_be_walked(const struct roots *roots, struct bytes path)
{
	for (unsigned i = 0; i < roots->count; i++) {
		const struct root *root = &roots->items[i];
		if (root->is_directory && !root->is_skipped &&
		    path_is_at_or_below(path, bytes_of(root->path)))
			return true;
	}
	return false;
}

/* Decide with a sample whether enough directories of the index are below the roots. */
static int is_worth_it(const struct walkers *walkers, struct store *store, bool *is_worth,
		       struct simhash_error *error)
{
	struct known_directories directories;
	struct known_directory known;
	unsigned all = 0, walked = 0;
	int status = known_directories_begin_sample(&directories, store, &walkers->scope, error);

	while (status == 0 && (status = known_directories_next(&directories, &known, error)) == 1) {
		all++;
		walked += will_be_walked(walkers->roots, known.path);
		status = 0;
	}
	known_directories_end(&directories);
	*is_worth = walked * store_question_cost(store) >= all;
	return status;
}

static void *read_part(void *argument)
{
	struct walker_thread *thread = argument;
	struct walkers *walkers = thread->walkers;
	struct reconciler *reconciler = &thread->reconciler;
	unsigned part = (unsigned)(thread - walkers->threads);

	thread->status = store_renew_view(reconciler->store, &thread->error);
	if (thread->status == 0)
		thread->status = known_table_read(reconciler->table, part, reconciler->store,
						  &walkers->scope, walkers->resources->stop,
						  &thread->error);
	store_end_view(reconciler->store);
	store_release_memory(reconciler->store);
	return NULL;
}

static void drop_table(struct walkers *walkers, struct known_table **table)
{
	for (unsigned i = 0; i < walkers->count; i++)
		walkers->threads[i].reconciler.table = NULL;
	known_table_free(*table);
	*table = NULL;
}

int look_ahead(struct walkers *walkers, struct known_table **table, struct simhash_error *error)
{
	struct walker_thread *threads = walkers->threads;
	bool is_worth;

	*table = NULL;
	if (!threads[0].reconciler.has_rows)
		return 0;
	if (is_worth_it(walkers, threads[0].reconciler.store, &is_worth, error) != 0)
		return -1;
	if (!is_worth)
		return 0;
	*table = known_table_new(walkers->count, TABLE_BYTES, error);
	if (*table == NULL)
		return -1;
	for (unsigned i = 0; i < walkers->count; i++)
		threads[i].reconciler.table = *table;
	threads_run(walkers->count, read_part, threads, sizeof *threads);
	for (unsigned i = 0; i < walkers->count; i++) {
		if (threads[i].status == 0)
			continue;
		/* After a lost connection, query each directory instead. */
		if (store_recover(threads[i].reconciler.store, &threads[i].error) != 0) {
			*error = threads[i].error;
			return -1;
		}
		threads[i].status = 0;
		drop_table(walkers, table);
	}
	return 0;
}

/*
 * Carries out a run from start to end: opens the index, starts and joins the threads, removes the
 * rows of vanished files, and records the runs.
 * SPDX-License-Identifier: MIT
 */
#include "index/run/index.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/path.h"
#include "index/compare/vanished.h"
#include "index/run/walkers.h"
#include "index/walk/count_ahead.h"
#include "index/walk/roots.h"
#include "index/work/hard_links.h"
#include "index/work/lanes.h"
#include "index/work/scanners.h"
#include "index/work/writer.h"
#include "scan/command/filter_commands.h"
#include "store/names/filter_table.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/load.h"
#include "store/open/store.h"
#include "store/row/file_hash.h"
#include "store/row/file_row.h"
#include "store/rows/known_file.h"
#include "store/write/damage_table.h"
#include "store/write/sketch_table.h"

struct run {
	const struct index_request *request;
	const struct index_resources *resources;
	struct store *store;
	struct row_scope scope;
	/* the ids in the index of the requested measures and hashes */
	int64_t measures[SKETCHES_MAX];
	unsigned measure_count;
	struct failures failures;
	struct roots roots;
	struct hard_links *links;
	struct vanished vanished;
	struct writer writer;
	struct scanners scanners;
	struct walkers walkers;
	int64_t vanished_removed; /* rows */
	int64_t accepted;	  /* damaged files whose content counts now */
	int64_t last_scan_ns;	  /* the time of the last scan in the index */
	bool is_unwritten;	  /* the writer lost rows when the run was stopped */
	atomic_uint kernel_file_systems;
};

static int want_measure(struct run *run, const char *text, struct simhash_error *error)
{
	return store_measure_id(run->store, text, true, &run->measures[run->measure_count++],
				error);
}

/* Add the filter commands to the index; rows contain their numbers. */
static int enter_filters(struct run *run, struct simhash_error *error)
{
	const struct filter_commands *filters = run->request->filters;

	for (size_t i = 0; filters != NULL && i < filters->count; i++) {
		const struct filter_command *command = &filters->items[i];
		const struct filter_entry entry = {.number = command->number,
						   .command = bytes_of(command->text),
						   .version = bytes_of(command->version)};
		if (store_filter_enter(run->store, &entry, error) != 0)
			return -1;
	}
	return 0;
}

static int open_index(struct run *run, struct simhash_error *error)
{
	const struct index_request *request = run->request;

	if (store_open(&request->location, OPEN_TO_WRITE, &run->store, error) != 0 ||
	    store_tag_set_id(run->store, request->tag_set, true, &run->scope.tag_set, error) != 0 ||
	    store_host_id(run->store, request->host, true, &run->scope.host, error) != 0)
		return -1;
	for (unsigned i = 0; i < request->measure_count; i++)
		if (want_measure(run, simhash_measure_text(request->measures[i]), error) != 0)
			return -1;
	for (unsigned i = 0; i < FILE_HASHES; i++)
		if ((request->hashes & 1U << i) != 0 &&
		    want_measure(run, file_hash_names[i], error) != 0)
			return -1;
	store_want_measures(run->store, run->measures, run->measure_count);
	return enter_filters(run, error);
}

static struct walk_options walk_options_of(struct run *run)
{
	const struct index_request *request = run->request;

	return (struct walk_options){
		.follow = request->follow,
		.one_file_system = request->one_file_system,
		.inflate = request->inflate,
		.exclusions = request->exclusions,
		/*
		 * Two walks share one half of the descriptors, and the scanners use the other half.
		 */
		.held_max = directory_open_max() / 4,
		.is_busy = lanes_are_reading,
		.busy_context = &run->scanners.lanes,
		.stop = run->resources->stop,
		.failures = &run->failures,
		.kernel_file_systems = &run->kernel_file_systems,
	};
}

/*
 * Return the number of largest files to scan last. It is 0 if no indexes are built during that
 * time, because this is not the first load, and for a list of files, because the list may arrive
 * slowly.
 */
static unsigned kept_max(const struct run *run)
{
	bool is_first_load = store_is_first_load(run->store) && run->request->list_name == NULL;

	return is_first_load ? directory_open_max() / 4 : 0;
}

/* Connect the threads with each other. */
static void connect(struct run *run)
{
	run->scanners = (struct scanners){.request = run->request,
					  .resources = run->resources,
					  .own = run->store,
					  .links = run->links,
					  .failures = &run->failures,
					  .writer = &run->writer,
					  .kept_max = kept_max(run)};
	run->walkers = (struct walkers){.request = run->request,
					.resources = run->resources,
					.store = run->store,
					.scope = run->scope,
					.measures = run->measures,
					.measure_count = run->measure_count,
					.roots = &run->roots,
					.scanners = &run->scanners,
					.failures = &run->failures,
					.vanished = &run->vanished,
					.options = walk_options_of(run),
					.bounds = {.last_scan_ns = run->last_scan_ns}};
}

/* Write while the walkers and the scanners work. */
static int write_all(struct run *run, struct simhash_error *error)
{
	struct walk_options options = walk_options_of(run);
	struct count_ahead count;
	struct simhash_error walk_error;
	int status, walk_status;

	count_ahead_start(&count, &run->roots, &options, run->resources->progress);
	status = writer_write(&run->writer, error);
	run->is_unwritten = status != 0;
	walk_status = walkers_join(&run->walkers, &walk_error);
	count_ahead_end(&count);
	if (status == 0 && walk_status == 0 && run->resources->progress != NULL)
		index_progress_end(run->resources->progress);
	/* If a failed walk stopped the writer, return the error of the walk. */
	if (walk_status != 0 && (status == 0 || error->code == ERROR_STOPPED)) {
		*error = walk_error;
		status = -1;
	}
	if (status == 0 && atomic_load(run->resources->stop))
		return error_set(error, ERROR_STOPPED, "stopped");
	return status;
}

/* Start the threads, write until they end, and join them. */
static int run_threads(struct run *run, struct simhash_error *error)
{
	int status;

	connect(run);
	status = scanners_start(&run->scanners, error);
	if (status == 0)
		status = walkers_start(&run->walkers, error);
	if (status == 0)
		status = write_all(run, error);
	else
		lanes_end(&run->scanners.lanes);
	scanners_join(&run->scanners);
	return status;
}

static void summarize(const struct run *run, struct index_summary *summary)
{
	summary->scanned = run->writer.scanned;
	summary->sketched_again = run->writer.sketched_again;
	summary->bytes = run->writer.bytes;
	summary->moved = run->writer.moved;
	summary->linked = run->writer.linked;
	summary->removed = run->writer.rows_removed;
	/*
	 * Rows of moved files were also removed from the vanished directories; do not count them.
	 */
	if ((uint64_t)run->vanished_removed > run->walkers.moved_from_vanished)
		summary->removed +=
			(uint64_t)run->vanished_removed - run->walkers.moved_from_vanished;
	summary->unchanged = walkers_unchanged(&run->walkers);
	summary->listed_directories = run->walkers.listed_directories;
	summary->listed_others = run->walkers.listed_others;
	summary->accepted = (uint64_t)run->accepted;
	summary->kernel_file_systems = atomic_load(&run->kernel_file_systems);
}

/*
 * Report the missing roots that have rows in the index. A run removes the rows of missing files
 * below its roots, but not if the root itself is missing.
 */
static int report_gone(struct run *run, struct simhash_error *error)
{
	const struct index_resources *resources = run->resources;
	int status = 0;

	for (unsigned i = 0; status == 0 && i < run->request->path_count; i++) {
		bool has_rows = false;
		char *path;
		if (!run->roots.items[i].is_gone || resources->gone == NULL)
			continue;
		path = path_absolute(run->request->paths[i]);
		if (path != NULL)
			status = store_has_rows_at(run->store, &run->scope, path, &has_rows, error);
		if (has_rows)
			resources->gone(resources->context, path);
		free(path);
	}
	return status;
}

/*
 * If no root can be read, report the rows that the index, if it exists, still has below the roots,
 * and do not change the index.
 */
static int refuse_roots(struct run *run, struct simhash_error *error)
{
	struct simhash_error ignored;

	if (store_open(&run->request->location, OPEN_TO_READ, &run->store, &ignored) == 0 &&
	    store_tag_set_id(run->store, run->request->tag_set, false, &run->scope.tag_set,
			     &ignored) == 0 &&
	    store_host_id(run->store, run->request->host, false, &run->scope.host, &ignored) == 0)
		report_gone(run, &ignored);
	return error_set(error, SIMHASH_E_SYSTEM,
			 "no PATH can be read; nothing is indexed or removed from the index");
}

/* Index all roots. Their runs were recorded before. */
static int load_roots(struct run *run, struct simhash_error *error)
{
	int64_t replaced;

	if (store_begin_load(run->store, error) != 0 || run_threads(run, error) != 0 ||
	    directory_list_remove(&run->vanished.found, run->store, &run->scope,
				  &run->vanished_removed, error) != 0 ||
	    store_end_load(run->store, error) != 0 ||
	    store_clean_damage(run->store, &run->scope, &replaced, error) != 0)
		return -1;
	run->accepted = run->request->force ? replaced : 0;
	return writer_end_runs(&run->writer, false, error);
}

/* Index all roots, with the index open. */
static int index_roots(struct run *run, struct index_summary *summary, struct simhash_error *error)
{
	struct simhash_error ignored;
	bool has_begun = false;
	int status = -1;

	if (writer_init(&run->writer, run->store, &run->scope, &run->roots, &run->failures,
			run->resources->threads, run->resources->stop, error) != 0)
		return -1;
	if (store_last_scan(run->store, &run->scope, &run->last_scan_ns, error) == 0 &&
	    writer_begin_runs(&run->writer, error) == 0) {
		has_begun = true;
		status = load_roots(run, error);
	}
	/* The committed rows have been counted, but not the last errors. */
	if (has_begun && status != 0 && error->code == ERROR_STOPPED)
		writer_end_runs(&run->writer, true, &ignored);
	summarize(run, summary);
	writer_release(&run->writer);
	return status;
}

int index_trees(const struct index_request *request, const struct index_resources *resources,
		struct index_summary *summary, struct simhash_error *error)
{
	struct run run = {.request = request, .resources = resources};
	unsigned roots = request->path_count + (request->list_name == NULL ? 0 : 1);
	double start_s = clock_monotonic_s();
	int status;

	memset(summary, 0, sizeof *summary);
	vanished_init(&run.vanished);
	run.vanished.follow = request->follow;
	run.vanished.one_file_system = request->one_file_system;
	run.links = hard_links_new();
	status = failures_init(&run.failures, roots, resources->failed, resources->context, error);
	run.failures.report_text = resources->failed_text;
	if (status == 0 && run.links == NULL)
		status = error_set_memory(error);
	if (status == 0)
		status = roots_init(&run.roots, request->paths, request->path_count,
				    request->list_name, request->one_file_system, &run.failures,
				    error);
	if (status == 0 && roots_have_all_failed(&run.roots, &run.failures))
		status = refuse_roots(&run, error);
	if (status == 0)
		status = open_index(&run, error);
	if (status == 0)
		status = report_gone(&run, error);
	if (status == 0)
		status = index_roots(&run, summary, error);
	if (status != 0 && error->code == ERROR_STOPPED) {
		summary->is_interrupted = true;
		summary->is_unwritten = run.is_unwritten;
		status = 0;
	}
	summary->failed = failures_total(&run.failures);
	summary->left_out = run.failures.counts == NULL ? 0 : atomic_load(&run.failures.left_out);
	roots_release(&run.roots);
	failures_release(&run.failures);
	hard_links_free(run.links);
	vanished_release(&run.vanished);
	store_close(run.store);
	summary->seconds = clock_monotonic_s() - start_s;
	return status;
}

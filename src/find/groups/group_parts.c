/*
 * Finds the groups of all files from their pairs, if there are few pairs. In most trees there are
 * few. The search for pairs compares blocks, which takes less work than a look-up for each file. If
 * it finds many pairs, the search stops and the groups are found without pairs, by the same rule.
 * Pairs are stored in logs, so only the pairs of one part are in memory at a time.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include "base/basic/error.h"
#include "base/threads/threads.h"
#include "find/groups/group_archives.h"
#include "find/groups/group_parts.h"
#include "find/groups/group_sorter.h"
#include "find/rule/finder.h"

#define PAIRS_PER_FILE 16
/* This many pairs are always allowed, because a few files may have more pairs each. */
#define PAIRS_ALWAYS 16384
#define LOG_BYTES_MAX (UINT64_C(16) << 30) /* for all logs */
#define LOG_SHARE 8			   /* the share of the memory for logs */
#define PART_SHARE 16 /* the share for a part in its file; a list in memory is larger */

/* Each thread has its own log. */
struct few_pairs {
	struct pair_log *logs;
	unsigned count;
	atomic_bool are_too_many;
};

static int take_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *error)
{
	struct few_pairs *few = context;
	struct pair_log *log = &few->logs[thread];

	if (log->size >= LOG_BYTES_MAX / few->count ||
	    log->pairs >= PAIRS_ALWAYS + PAIRS_PER_FILE * (uint64_t)log->rows)
		atomic_store(&few->are_too_many, true);
	return atomic_load_explicit(&few->are_too_many, memory_order_relaxed)
		       ? error_set(error, SIMHASH_E_RANGE, "there are many pairs")
		       : pair_log_add(log, pair, error);
}

/* The counters start again at zero for the second search. */
static void begin_again(struct finder *finder)
{
	struct find_progress *progress = finder->resources->progress;

	finder->counts = (struct find_counts){.rows = 0};
	if (progress == NULL)
		return;
	atomic_store(&progress->rows, 0);
	atomic_store(&progress->pairs, 0);
}

/* Finds pairs so that each file that is in any pair is in one of them. */
static int find_pairs(struct finder *finder, struct few_pairs *few, struct simhash_error *error)
{
	const struct find_sink sink = {.context = few, .pair = take_pair};
	struct find_request request = *finder->request;
	struct finder searching = *finder;
	int status;

	request.expand = false;
	request.hard_links = true;
	request.keeps_extensions = true;
	searching.request = &request;
	searching.sink = &sink;
	status = finder_all(&searching, error);
	finder->counts = searching.counts;
	finder->texts = searching.texts;
	finder->archives = searching.archives;
	finder->free_archives = searching.free_archives;
	for (unsigned i = 0; status == 0 && i < few->count; i++)
		status = pair_log_end(&few->logs[i], error);
	return status;
}

static void release_logs(struct few_pairs *few)
{
	for (unsigned i = 0; few->logs != NULL && i < few->count; i++)
		pair_log_release(&few->logs[i]);
	free(few->logs);
}

static int find_few(struct finder *finder, struct group_parts *parts, bool *are_few,
		    struct simhash_error *error)
{
	unsigned threads = finder->resources->threads;
	struct few_pairs few = {.logs = calloc(threads, sizeof *few.logs), .count = threads};
	int status = few.logs == NULL ? error_set_memory(error) : 0;

	for (unsigned i = 0; status == 0 && i < threads; i++)
		few.logs[i].budget = finder_memory(finder) / LOG_SHARE / threads;
	if (status == 0)
		status = find_pairs(finder, &few, error);
	*are_few = !atomic_load(&few.are_too_many);
	if (status != 0) {
		release_logs(&few);
		return -1;
	}
	status = pair_parts_make(&parts->pairs, few.logs, few.count,
				 finder_memory(finder) / PART_SHARE / threads, error);
	parts->count = parts->pairs.count;
	return status;
}

/*
 * Pairs are not used if files are read, because fewer comparisons are then better. They are also
 * not used if files with the same content may be in no pair, for example files on the same side, or
 * names of one file if the rule uses extensions.
 */
static bool tries_pairs(const struct find_request *request)
{
	const struct find_rule *rule = &request->rule;

	return rule->verify.mode < VERIFY_READ && !request->has_between &&
	       rule->candidates == CANDIDATES_EXACT && rule->extension_count == 0 &&
	       !rule->verify.same_extension && !rule_is_by_extension(rule);
}

int group_parts_find(struct group_parts *parts, struct finder *finder, enum linkage linkage,
		     struct simhash_error *error)
{
	bool are_few = tries_pairs(finder->request);
	int status = 0;

	*parts = (struct group_parts){.linkage = linkage, .request = *finder->request};
	parts->request.keeps_extensions = true;
	if (are_few) {
		status = find_few(finder, parts, &are_few, error);
		if (are_few)
			return status;
		begin_again(finder);
	}
	return group_stream_begin(&parts->stream, finder, linkage, error);
}

int group_parts_next(struct group_parts *parts, struct group_list *groups,
		     struct simhash_error *error)
{
	size_t number = atomic_fetch_add(&parts->next, 1);
	struct pair_list list;
	int status;

	*groups = (struct group_list){.count = 0};
	if (parts->stream != NULL)
		return group_stream_next(parts->stream, groups, error);
	if (number >= parts->count)
		return 0;
	pair_list_init(&list);
	status = pair_parts_load(&parts->pairs, number, &list, error);
	if (status == 0)
		status = group_pairs(&list, &parts->request, parts->linkage, groups, error);
	if (status == 0)
		arena_join(&groups->files, &list.arena);
	pair_list_release(&list);
	return status == 0 ? 1 : -1;
}

void group_parts_release(struct group_parts *parts)
{
	pair_parts_release(&parts->pairs);
	group_stream_free(parts->stream);
}

/* ---- All groups ---- */

/* The threads, which take one part at a time. */
struct gathering {
	struct group_parts *parts;
	pthread_mutex_t lock;
	struct group_sorter *groups;
	struct first_error first_error;
};

static void *run_gatherer(void *argument)
{
	struct gathering *gathering = argument;
	struct group_list groups;
	struct simhash_error error;
	int status = 1;

	while (status == 1 && !first_error_is_set(&gathering->first_error)) {
		status = group_parts_next(gathering->parts, &groups, &error);
		if (status != 1)
			break;
		pthread_mutex_lock(&gathering->lock);
		if (group_sorter_add(gathering->groups, &groups, &error) != 0)
			status = -1;
		pthread_mutex_unlock(&gathering->lock);
		group_list_release(&groups);
	}
	if (status < 0)
		first_error_set(&gathering->first_error, &error);
	return NULL;
}

static int gather(struct group_parts *parts, unsigned threads, struct group_sorter *groups,
		  struct simhash_error *error)
{
	struct gathering gathering = {
		.parts = parts, .lock = PTHREAD_MUTEX_INITIALIZER, .groups = groups};

	first_error_init(&gathering.first_error, error);
	threads_run(threads, run_gatherer, &gathering, 0);
	return first_error_is_set(&gathering.first_error) ? -1 : 0;
}

static int add_archives(const struct archives *archives, struct group_sorter *groups,
			struct simhash_error *error)
{
	struct group_list list;
	int status = group_archives(archives, &list, error);

	if (status == 0)
		status = group_sorter_add(groups, &list, error);
	group_list_release(&list);
	return status;
}

int finder_groups(struct finder *finder, enum linkage linkage, struct group_sorter *groups,
		  struct simhash_error *error)
{
	struct group_parts parts;
	unsigned threads = finder->resources->threads;
	int status = group_parts_find(&parts, finder, linkage, error);
	/* A stream uses the threads of the finder. */
	unsigned gatherers = parts.stream != NULL    ? 1
			     : parts.count < threads ? (unsigned)parts.count
						     : threads;

	groups->archives = finder->archives;
	if (status == 0)
		status = gather(&parts, gatherers, groups, error);
	groups->archives = NULL;
	if (status == 0)
		status = add_archives(finder->archives, groups, error);
	group_parts_release(&parts);
	finder->counts.folded = groups->folded;
	finder->counts.identical = groups->totals.copies;
	finder->counts.similar = groups->totals.similar;
	return status;
}

/*
 * Searches for many files at once: threads read each row once, and compare it with all near files.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/queried_batch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/threads/threads.h"
#include "find/query/nearest.h"
#include "find/query/queried_parts.h"
#include "find/query/queried_proposals.h"
#include "find/query/queried_rows.h"
#include "find/rule/common_content.h"
#include "store/open/store.h"
#include "store/rows/totals.h"

#define FILES_MAX 1024
#define NEAREST_MAX 65536 /* the limit for stored neighbours of all files; half a kilobyte each */
#define PIECES_BYTES_MAX (16 << 20) /* of stored pieces; a search takes 12 times as much */
#define KEYS_MAX (1u << 20) /* 32 bytes each, up to four times as much while they are collected */
#define KEYS_PER_MATCH 16   /* for each match that waits to be reported; half a kilobyte each */
#define FILES_PER_THREAD 8  /* for fewer files, another connection takes too long to open */
#define READERS_MAX 8
#define BYTES_PER_THREAD (32 << 20) /* of the index; to read less takes a few milliseconds */
#define KEYS_PER_THREAD 512	    /* the number that a thread takes at a time */

/* How a match was found. The matches of a file are reported in this order. */
enum match_kind { BY_COUNTS, BY_SKETCHES, BY_PIECES };

struct match {
	struct find_file file; /* its displayed name is in the arena */
	struct file_pair pair;
	uint32_t reach;
	enum match_kind kind;
};

struct batch_search {
	struct queried_batch *batch;
	struct nearest *nearest; /* the nearest files of each requested file, or NULL */
	pthread_mutex_t lock;	 /* for `nearest` */
	/* The files of the current search. */
	const struct queried_reach *reaches;
	size_t count;
	struct queried_keys keys;
	struct queried_parts parts; /* found by pieces, while sketches are compared */
	bool has_too_many_proposed;
	atomic_size_t next; /* the next key for a thread to take */
	atomic_size_t matches;
	struct first_error first_error;
};

struct searcher {
	struct batch_search *search;
	struct store *store;
	struct find_counts counts; /* the counts of rows */
	struct match *matches;
	size_t count, capacity;
	struct arena arena;
};

void queried_batch_init(struct queried_batch *batch, const struct finder *finder,
			struct queried_report *report)
{
	*batch = (struct queried_batch){.finder = finder, .report = report, .keys_max = KEYS_MAX};
	/* A search for some files does not know which content is common. */
	common_content_clear(finder->request->rule.verify.common);
}

static void clear(struct queried_batch *batch)
{
	while (batch->count > 0)
		queried_file_release(&batch->files[--batch->count]);
	batch->pieces_bytes = 0;
}

void queried_batch_release(struct queried_batch *batch)
{
	clear(batch);
	while (batch->stores.count > 1)
		store_close(batch->stores.stores[--batch->stores.count]);
	free(batch->stores.stores);
	free(batch->files);
}

int queried_batch_add(struct queried_batch *batch, struct queried_file *queried,
		      struct simhash_error *error)
{
	if (queried->file.size_bytes == 0 && !batch->finder->request->with_empty) {
		queried_file_release(queried);
		return 0;
	}
	if (array_reserve(&batch->files, &batch->capacity, batch->count + 1, sizeof *batch->files,
			  error) != 0) {
		queried_file_release(queried);
		return -1;
	}
	batch->files[batch->count++] = *queried;
	batch->pieces_bytes += queried->other_pieces.size;
	batch->pieces_bytes += queried->sketches == NULL ? 0 : queried->sketches->pieces.size;
	return 0;
}

bool queried_batch_is_full(const struct queried_batch *batch)
{
	size_t nearest = batch->finder->request->nearest;

	return batch->count >= FILES_MAX || batch->pieces_bytes > PIECES_BYTES_MAX ||
	       (nearest > 0 && batch->count > NEAREST_MAX / nearest);
}

/* Are all sketches and pieces compared, because they can propose pairs? */
static bool compares_sketches(const struct queried_batch *batch)
{
	const struct find_request *request = batch->finder->request;

	return request->nearest == 0 && verify_proposes(&request->rule.verify);
}

/* The number of connections that make reading all sketches and pieces faster. */
static int readers(const struct queried_batch *batch, size_t *count, struct simhash_error *error)
{
	int64_t bytes;

	*count = 1;
	if (!compares_sketches(batch))
		return 0;
	if (store_index_bytes(batch->finder->store, &bytes, error) != 0)
		return -1;
	*count += (size_t)(bytes / BYTES_PER_THREAD);
	*count = *count < READERS_MAX ? *count : READERS_MAX;
	return 0;
}

/* Opens a connection for each thread that is useful, or fewer if the server refuses more. */
static int open_stores(struct queried_batch *batch, struct simhash_error *error)
{
	struct find_stores *stores = &batch->stores;
	unsigned threads = batch->finder->resources->threads;
	size_t least, worth = batch->count / FILES_PER_THREAD;
	unsigned wanted;

	if (readers(batch, &least, error) != 0)
		return -1;
	worth = worth < least ? least : worth;
	wanted = worth < threads ? (unsigned)worth : threads;
	if (stores->stores == NULL) {
		stores->stores = calloc(threads + 1, sizeof *stores->stores);
		if (stores->stores == NULL)
			return error_set_memory(error);
		stores->stores[stores->count++] = batch->finder->store;
	}
	while (stores->count < wanted) {
		store_open_another(batch->finder->store, &stores->stores[stores->count]);
		if (stores->stores[stores->count] == NULL)
			break;
		stores->count++;
	}
	return 0;
}

/* ---- Matches ---- */

static struct nearest *nearest_of(const struct batch_search *search,
				  const struct queried_file *queried)
{
	return &search->nearest[queried - search->batch->files];
}

static int take_nearest(struct batch_search *search, const struct queried_file *queried,
			const struct find_file *file, struct simhash_error *error)
{
	int status;

	pthread_mutex_lock(&search->lock);
	status = nearest_take(nearest_of(search, queried), &search->batch->finder->request->rule,
			      &queried->file, file, error);
	pthread_mutex_unlock(&search->lock);
	return status;
}

/* If several files are searched, a match waits until the matches of earlier files are reported. */
static int take_match(struct searcher *searcher, const struct match *match,
		      struct simhash_error *error)
{
	struct batch_search *search = searcher->search;
	size_t size = (size_t)match->file.display_size + 1;
	struct match *kept;
	char *display;

	if (search->count == 1)
		return queried_report_pair(search->batch->report, match->pair, error);
	display = arena_take(&searcher->arena, size);
	if (display == NULL)
		return error_set_memory(error);
	if (array_reserve(&searcher->matches, &searcher->capacity, searcher->count + 1,
			  sizeof *searcher->matches, error) != 0)
		return -1;
	memcpy(display, match->file.display, size);
	kept = &searcher->matches[searcher->count++];
	*kept = *match;
	kept->file.display = display;
	atomic_fetch_add(&search->matches, 1);
	return 0;
}

/* Is it a pair by the counts or, if not, by the sketches? These need not share a key. */
static bool matches(const struct find_rule *rule, bool by_sketches, const struct find_file *queried,
		    const struct find_file *file, struct relation *relation)
{
	struct relation by_counts;

	if (!by_sketches)
		return rule_matches_by_counts(rule, queried, file, relation);
	if (!verify_by_keys(&rule->verify, false, queried, file, relation))
		return false;
	by_counts = *relation;
	return !rule_matches_by_counts(rule, queried, file, &by_counts);
}

/*
 * Documents are compared by their texts, and only identical ones also as files: is this another
 * comparison?
 */
static bool is_left_to_other(const struct queried_file *queried, const struct find_file *file)
{
	if (queried->file.lacks_text || file->lacks_text)
		return !has_same_content(&queried->file, file);
	return queried->is_text && has_same_content(&queried->file, file);
}

/* Compare a row with a requested file: by the counts, or only by the sketches. */
static int compare(struct searcher *searcher, uint32_t reach, const struct find_file *file,
		   bool by_sketches, struct simhash_error *error)
{
	struct batch_search *search = searcher->search;
	const struct find_request *request = search->batch->finder->request;
	const struct queried_file *queried = search->reaches[reach].queried;
	struct file_pair pair = {.a = &queried->file, .b = file};

	/* If all sketches are compared, these rows are counted instead. */
	searcher->counts.rows += !compares_sketches(search->batch);
	searcher->counts.unsketched += search->nearest == NULL && !by_sketches && !file->has_sketch;
	if (is_left_to_other(queried, file))
		return 0;
	if (search->nearest != NULL)
		return queried_is_itself(&queried->file, file)
			       ? 0
			       : take_nearest(search, queried, file, error);
	if (!matches(&request->rule, by_sketches, &queried->file, file, &pair.relation) ||
	    queried_is_itself(&queried->file, file))
		return 0;
	return take_match(
		searcher,
		&(struct match){*file, pair, reach, by_sketches ? BY_SKETCHES : BY_COUNTS}, error);
}

/* Report that a row contains a requested file, or the reverse, unless they are a pair otherwise. */
static int take_part(struct searcher *searcher, const struct queried_part *part,
		     const struct find_file *file, struct simhash_error *error)
{
	const struct find_rule *rule = &searcher->search->batch->finder->request->rule;
	const struct queried_file *queried = searcher->search->reaches[part->reach].queried;
	struct file_pair pair = {.a = &queried->file, .b = file};

	if (is_left_to_other(queried, file) || queried_is_itself(&queried->file, file) ||
	    !queried_part_is_pair(part, rule, &queried->file, file, &pair.relation))
		return 0;
	return take_match(searcher, &(struct match){*file, pair, part->reach, BY_PIECES}, error);
}

static int take_parts(struct searcher *searcher, const struct find_file *file,
		      struct simhash_error *error)
{
	const struct queried_part *end,
		*part = queried_parts_of(&searcher->search->parts, file, &end);

	for (; part < end; part++)
		if (take_part(searcher, part, file, error) != 0)
			return -1;
	return 0;
}

/* ---- Reading ---- */

static bool has_too_many(struct batch_search *search)
{
	return search->count > 1 &&
	       (search->has_too_many_proposed ||
		atomic_load(&search->matches) > search->batch->keys_max / KEYS_PER_MATCH);
}

/* Compare the rows with the files that their keys name, or with all files. */
static int compare_rows(struct searcher *searcher, struct queried_rows *rows, bool by_sketches,
			struct simhash_error *error)
{
	struct batch_search *search = searcher->search;
	const struct queried_key *near;
	struct find_file file;
	size_t count;
	int status = 1;

	while (!has_too_many(search) &&
	       (status = queried_rows_next(rows, &file, &near, &count, error)) == 1) {
		size_t files = count > 0 ? count : search->count;
		for (size_t i = 0; i < files; i++) {
			uint32_t reach = count > 0 ? near[i].reach : (uint32_t)i;
			if (reach != NO_REACH &&
			    compare(searcher, reach, &file, by_sketches, error) != 0)
				return -1;
		}
		if (by_sketches && take_parts(searcher, &file, error) != 0)
			return -1;
	}
	return status < 0 ? -1 : 0;
}

/* The first key from `number` on that belongs to another row than the key before it. */
static size_t row_from(const struct queried_keys *keys, size_t number)
{
	while (number > 0 && number < keys->count &&
	       row_key_compare(&keys->keys[number].row, &keys->keys[number - 1].row) == 0)
		number++;
	return number < keys->count ? number : keys->count;
}

static void *run_searcher(void *argument)
{
	struct searcher *searcher = argument;
	struct batch_search *search = searcher->search;
	const struct queried_keys *keys = &search->keys;
	struct simhash_error error;

	while (!first_error_is_set(&search->first_error) && !has_too_many(search)) {
		size_t next = atomic_fetch_add(&search->next, KEYS_PER_THREAD);
		size_t first = row_from(keys, next), end = row_from(keys, next + KEYS_PER_THREAD);
		struct queried_rows rows;
		if (next >= keys->count)
			break;
		queried_rows_begin(&rows, search->batch->finder, searcher->store,
				   keys->keys + first, end - first);
		if (compare_rows(searcher, &rows, false, &error) != 0)
			first_error_set(&search->first_error, &error);
		queried_rows_end(&rows);
	}
	return NULL;
}

static int read_by_sketches(struct searcher *searcher, struct simhash_error *error)
{
	struct batch_search *search = searcher->search;
	const struct queried_batch *batch = search->batch;
	struct queried_keys keys = {.keys = NULL};
	struct queried_rows rows;
	int status = queried_proposals_find(search->reaches, search->count, batch->finder,
					    &batch->stores, batch->keys_max, &search->parts, &keys,
					    &searcher->counts.rows, error);

	search->has_too_many_proposed = status == 0;
	if (status == 1) {
		queried_rows_begin(&rows, batch->finder, searcher->store, keys.keys, keys.count);
		status = compare_rows(searcher, &rows, true, error);
		queried_rows_end(&rows);
	}
	queried_keys_release(&keys);
	queried_parts_release(&search->parts);
	return status;
}

/* Read the rows of a reach without keys. */
static int read_without_keys(struct searcher *searcher, struct simhash_error *error)
{
	const struct batch_search *search = searcher->search;
	struct queried_rows rows;
	int status = queried_rows_begin_range(&rows, search->batch->finder, search->reaches, error);

	if (status == 0)
		status = compare_rows(searcher, &rows, false, error);
	queried_rows_end(&rows);
	return status;
}

/* ---- Reporting ---- */

/* Sorts by requested file; the matches of one file stay in the order of rows. */
static int compare_matches(const void *x, const void *y)
{
	const struct match *a = *(const struct match *const *)x,
			   *b = *(const struct match *const *)y;

	if (a->reach != b->reach)
		return a->reach < b->reach ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	if (a->file.host != b->file.host)
		return a->file.host < b->file.host ? -1 : 1;
	return memcmp(a->file.path_hash, b->file.path_hash, PATH_HASH_SIZE);
}

static int report_matches(struct batch_search *search, struct searcher *searchers, unsigned count,
			  struct simhash_error *error)
{
	struct match **matches = calloc(search->matches + 1, sizeof *matches), **next = matches;
	int status = matches == NULL ? error_set_memory(error) : 0;

	for (unsigned i = 0; status == 0 && i < count; i++)
		for (size_t m = 0; m < searchers[i].count; m++)
			*next++ = &searchers[i].matches[m];
	if (next > matches)
		qsort(matches, search->matches, sizeof(struct match *), compare_matches);
	for (size_t m = 0; status == 0 && m < search->matches; m++) {
		matches[m]->pair.b = &matches[m]->file;
		status = queried_report_pair(search->batch->report, matches[m]->pair, error);
	}
	free(matches);
	return status;
}

/* Returns 1, or 0 if there were too many matches, and then none was reported. */
static int run_searchers(struct batch_search *search, struct searcher *searchers, unsigned count,
			 bool has_keys, struct simhash_error *error)
{
	const struct queried_batch *batch = search->batch;
	int status = 0;

	if (has_keys) {
		first_error_init(&search->first_error, error);
		threads_run(count, run_searcher, searchers, sizeof *searchers);
		status = first_error_is_set(&search->first_error) ? -1 : 0;
	} else {
		status = read_without_keys(&searchers[0], error);
	}
	if (status == 0 && compares_sketches(search->batch))
		status = read_by_sketches(&searchers[0], error);
	if (status != 0)
		return -1;
	if (has_too_many(search))
		return 0;
	for (unsigned i = 0; i < count; i++)
		find_counts_add(&batch->report->reporter.counts, &searchers[i].counts);
	return report_matches(search, searchers, count, error) == 0 ? 1 : -1;
}

/* Returns the same. One thread searches for a single file and reports in the order of rows. */
static int read_rows(struct batch_search *search, bool has_keys, struct simhash_error *error)
{
	const struct find_stores *stores = &search->batch->stores;
	unsigned count = search->count > 1 ? stores->count : 1;
	struct searcher *searchers = calloc(count, sizeof *searchers);
	int status;

	if (searchers == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < count; i++)
		searchers[i] = (struct searcher){.search = search, .store = stores->stores[i]};
	atomic_store(&search->next, 0);
	atomic_store(&search->matches, 0);
	search->has_too_many_proposed = false;
	status = run_searchers(search, searchers, count, has_keys, error);
	for (unsigned i = 0; i < count; i++) {
		arena_release(&searchers[i].arena);
		free(searchers[i].matches);
	}
	free(searchers);
	return status;
}

/* Search for some of the files; in two halves if there is too much around them. */
static int search_for(struct batch_search *search, const struct queried_reach *reaches,
		      size_t count, struct simhash_error *error)
{
	const struct queried_batch *batch = search->batch;
	int status = queried_keys_gather(reaches, count, batch->finder, &batch->stores,
					 batch->keys_max, &search->keys, error);

	search->reaches = reaches;
	search->count = count;
	if (status == 1 || (status == 0 && count == 1))
		status = read_rows(search, status == 1, error);
	queried_keys_release(&search->keys);
	if (status != 0)
		return status < 0 ? -1 : 0;
	if (search_for(search, reaches, count / 2, error) != 0)
		return -1;
	return search_for(search, reaches + count / 2, count - count / 2, error);
}

/* ---- Kinds of searches ---- */

static int search_for_pairs(struct batch_search *search, struct queried_reach *reaches,
			    struct simhash_error *error)
{
	const struct queried_batch *batch = search->batch;
	const struct find_rule *rule = &batch->finder->request->rule;

	for (size_t i = 0; i < batch->count; i++) {
		const struct find_file *x = &batch->files[i].file;
		int64_t reach = rule_reach(rule, x->tolerance, x->has_sketch, x->size_bytes);
		reaches[i] = (struct queried_reach){&batch->files[i], reach, true};
	}
	return search_for(search, reaches, batch->count, error);
}

/* Find the nearest files of all requested files within a growing distance. */
static int read_all_nearest(struct batch_search *search, struct queried_reach *reaches,
			    struct simhash_error *error)
{
	const struct queried_batch *batch = search->batch;

	for (;;) {
		size_t count = 0;
		for (size_t i = 0; i < batch->count; i++) {
			struct nearest *nearest = &search->nearest[i];
			if (nearest->is_found)
				continue;
			nearest_begin_round(nearest);
			reaches[count++] = (struct queried_reach){.queried = &batch->files[i],
								  .distance = nearest->distance};
		}
		if (count == 0)
			return 0;
		if (search_for(search, reaches, count, error) != 0)
			return -1;
		for (size_t i = 0; i < count; i++)
			nearest_end_round(nearest_of(search, reaches[i].queried));
	}
}

static int report_nearest(const struct queried_batch *batch, const struct queried_file *queried,
			  const struct nearest *nearest, struct simhash_error *error)
{
	for (size_t i = 0; i < nearest->count; i++) {
		struct file_pair pair = {.a = &queried->file,
					 .b = &nearest->items[i].file,
					 .relation = {.distance = nearest->items[i].distance}};
		estimate_resemblance(pair.a, pair.b, &pair.relation);
		if (queried_report_pair(batch->report, pair, error) != 0)
			return -1;
	}
	return 0;
}

static int search_for_nearest(struct batch_search *search, struct queried_reach *reaches,
			      struct simhash_error *error)
{
	const struct queried_batch *batch = search->batch;
	size_t wanted = batch->finder->request->nearest;
	int status = 0;

	search->nearest = calloc(batch->count, sizeof *search->nearest);
	if (search->nearest == NULL)
		return error_set_memory(error);
	for (size_t i = 0; status == 0 && i < batch->count; i++)
		status = nearest_begin(&search->nearest[i], wanted, batch->finder, &batch->files[i],
				       error);
	if (status == 0)
		status = read_all_nearest(search, reaches, error);
	for (size_t i = 0; i < batch->count; i++) {
		if (status == 0)
			status =
				report_nearest(batch, &batch->files[i], &search->nearest[i], error);
		nearest_release(&search->nearest[i]);
	}
	free(search->nearest);
	return status;
}

int queried_batch_search(struct queried_batch *batch, struct simhash_error *error)
{
	struct batch_search search = {.batch = batch};
	struct queried_reach *reaches;
	int status;

	if (batch->count == 0)
		return 0;
	if (open_stores(batch, error) != 0)
		return -1;
	reaches = calloc(batch->count, sizeof *reaches);
	if (reaches == NULL)
		return error_set_memory(error);
	pthread_mutex_init(&search.lock, NULL);
	status = batch->finder->request->nearest > 0 ? search_for_nearest(&search, reaches, error)
						     : search_for_pairs(&search, reaches, error);
	pthread_mutex_destroy(&search.lock);
	free(reaches);
	clear(batch);
	return status;
}

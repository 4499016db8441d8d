/*
 * Reading rows as they lie, or by the index. Leaves merging their runs to sorted_cursor.c.
 * SPDX-License-Identifier: MIT
 */
#include "find/sorted_rows.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/threads.h"
#include "find/against.h"
#include "store/row_stream.h"
#include "store/store.h"
#include "store/view.h"

#define PLACES_PER_THREAD 8	   /* so that all end at about the same time */
#define CONNECTION_BYTES (8 << 20) /* what a connection keeps of the database */
#define CURSOR_SHARE 64		   /* of the memory that a cursor takes */

struct reading {
	const struct finder *finder;
	int64_t low, high;
	struct row_place *places;
	size_t place_count, place_capacity;
	atomic_size_t next; /* place that no thread has taken */
	atomic_flag list_is_taken;
	struct first_error first_error;
};

struct row_reader {
	struct reading *reading;
	struct store *store;
	struct row_runs *runs;
	struct arena arena; /* of what is displayed of one row */
	uint64_t passed_over;
};

/* ---- Places ---- */

static int add_place(struct reading *reading, const struct row_place *place,
		     struct simhash_error *error)
{
	if (array_reserve(&reading->places, &reading->place_capacity, reading->place_count + 1,
			  sizeof *reading->places, error) != 0)
		return -1;
	reading->places[reading->place_count++] = *place;
	return 0;
}

/* All rows by one statement, which sees one moment whatever the engine. */
static int add_all(struct reading *reading, struct simhash_error *error)
{
	const struct row_place all = {.first_host = INT64_MIN, .last_host = INT64_MAX};

	return add_place(reading, &all, error);
}

/* Hosts are few, and their path hashes even. A host that the index does not name has its rows too. */
static int cut_places(struct reading *reading, unsigned threads, struct simhash_error *error)
{
	const struct name_list *hosts = &reading->finder->hosts;
	size_t wanted = (size_t)threads * PLACES_PER_THREAD;
	unsigned parts = hosts->count == 0 ? 1 : (unsigned)((wanted - 1) / hosts->count + 1);
	int64_t first = INT64_MIN;

	for (size_t i = 0; i < hosts->count; i++) {
		int64_t host = hosts->names[i].id;
		struct row_place between = {.first_host = first, .last_host = host - 1};
		if (host < first)
			continue;
		if (host > first && add_place(reading, &between, error) != 0)
			return -1;
		for (unsigned part = 0; part < parts; part++) {
			struct row_place place = {host, host, hash_range_of_part(part, parts)};
			if (add_place(reading, &place, error) != 0)
				return -1;
		}
		if (host == INT64_MAX)
			return 0;
		first = host + 1;
	}
	return add_place(reading, &(struct row_place){.first_host = first, .last_host = INT64_MAX},
			 error);
}

/* ---- Memory ---- */

/* The search that follows needs the rest, and the list of pairs. */
static size_t memory_for_rows(const struct finder *finder)
{
	return finder_memory(finder) / 8 * 3;
}

static unsigned connections(const struct finder *finder)
{
	size_t most = finder_memory(finder) / 4 / CONNECTION_BYTES;
	unsigned threads = finder->resources->threads;

	return most == 0 ? 1 : most < threads ? (unsigned)most : threads;
}

/* ---- Reading ---- */

/* Is a row in the range of keys, or does it reach that? */
static bool is_wanted(const struct reading *reading, const struct find_file *file)
{
	if (file->uniform > reading->high)
		return false;
	return file->uniform >= reading->low ||
	       (uint64_t)reading->low - (uint64_t)file->uniform <= (uint64_t)file->reach;
}

static int add_row(struct row_reader *reader, const struct file_row *row,
		   struct simhash_error *error)
{
	const struct finder *finder = reader->reading->finder;
	struct find_file file;

	if (finder_convert(finder, row, &file, error) != 0)
		return -1;
	if (!is_wanted(reader->reading, &file))
		return 0;
	arena_clear(&reader->arena);
	if (finder_show(finder, row, &reader->arena, &file, error) != 0)
		return -1;
	return row_runs_add(reader->runs, &file, error);
}

static int take_row(struct row_reader *reader, const struct file_row *row,
		    struct simhash_error *error)
{
	if (finder_takes(reader->reading->finder, row))
		return add_row(reader, row, error);
	reader->passed_over++;
	return 0;
}

static struct key_range range_of(const struct finder *finder, int64_t low, int64_t high)
{
	return (struct key_range){.tag_set = finder->tag_set,
				  .key = SIMHASH_UNIFORM,
				  .also = finder_read_key(finder),
				  .low = low,
				  .high = high,
				  .order = ORDER_BY_INDEX,
				  .with_empty = finder->request->with_empty,
				  .with_resemblance = finder->request->rule.verify.mode !=
						      VERIFY_NO};
}

/* Take all rows of a cursor, and end it. */
static int take_rows(struct row_reader *reader, struct row_cursor *cursor,
		     struct simhash_error *error)
{
	struct file_row row = {.host = 0};
	int status;

	while ((status = store_rows_next(cursor, &row, error)) == 1)
		if (take_row(reader, &row, error) != 0) {
			status = -1;
			break;
		}
	store_rows_end(cursor);
	return status;
}

/* The files of a list are rows as the index would have them. */
static int read_list(struct row_reader *reader, struct simhash_error *error)
{
	const struct find_request *request = reader->reading->finder->request;
	struct file_row row;
	int status = 0;

	if (against_begin(request->against, error) != 0)
		return -1;
	while (!first_error_is_set(&reader->reading->first_error) &&
	       (status = against_next(request->against, &row, error)) == 1) {
		if (request->rule.verify.mode == VERIFY_NO)
			row.has_resemblance = false;
		if (row.size_bytes == 0 && !request->with_empty)
			continue;
		if (finder_knows(reader->reading->finder, row.content_hash))
			reader->passed_over++;
		else if (add_row(reader, &row, error) != 0)
			return -1;
	}
	return status < 0 ? -1 : 0;
}

static int read_place(struct row_reader *reader, const struct row_place *place,
		      struct simhash_error *error)
{
	struct key_range range = range_of(reader->reading->finder, INT64_MIN, INT64_MAX);
	struct row_cursor *cursor;

	if (store_rows_lying(reader->store, &range, place, &cursor, error) != 0)
		return -1;
	return take_rows(reader, cursor, error);
}

static void *run_reader(void *argument)
{
	struct row_reader *reader = argument;
	struct reading *reading = reader->reading;
	struct simhash_error error;
	int status = 0;

	if (reading->finder->request->against != NULL &&
	    !atomic_flag_test_and_set(&reading->list_is_taken))
		status = read_list(reader, &error);
	while (status == 0 && !first_error_is_set(&reading->first_error)) {
		size_t next = atomic_fetch_add(&reading->next, 1);
		if (next >= reading->place_count)
			break;
		status = read_place(reader, &reading->places[next], &error);
	}
	if (status == 0)
		status = row_runs_end(reader->runs, &error);
	if (status != 0)
		first_error_set(&reading->first_error, &error);
	arena_release(&reader->arena);
	return NULL;
}

/*
 * Connections that see the index of one moment; fewer than `count`, and at least one, where they
 * cannot be had. The first one is the caller's.
 */
static int open_stores(struct store *first, struct store **stores, unsigned *count,
		       struct simhash_error *error)
{
	bool is_same = false;

	stores[0] = first;
	for (unsigned i = 1; i < *count; i++)
		if (store_open_beside(first, &stores[i], error) != 0) {
			*count = i;
			return -1;
		}
	if (*count > 1 && store_share_view(stores, *count, &is_same, error) != 0)
		return -1;
	if (is_same || *count == 1)
		return 0;
	while (*count > 1)
		store_close(stores[--*count]);
	return 0;
}

static void close_stores(struct store **stores, unsigned count)
{
	if (count > 1)
		store_end_view(stores[0]);
	for (unsigned i = 1; i < count; i++)
		store_close(stores[i]);
}

static int read_places(struct sorted_rows *rows, struct reading *reading, struct store **stores,
		       unsigned count, struct simhash_error *error)
{
	struct row_reader *readers = calloc(count, sizeof *readers);

	rows->runs = calloc(count, sizeof *rows->runs);
	if (readers == NULL || rows->runs == NULL) {
		free(readers);
		return error_set_memory(error);
	}
	rows->runs_count = count;
	for (unsigned i = 0; i < count; i++) {
		rows->runs[i].budget = rows->budget / count;
		readers[i] = (struct row_reader){
			.reading = reading, .store = stores[i], .runs = &rows->runs[i]};
	}
	first_error_init(&reading->first_error, error);
	threads_run(count, run_reader, readers, sizeof *readers);
	for (unsigned i = 0; i < count; i++)
		rows->passed_over += readers[i].passed_over;
	free(readers);
	return first_error_is_set(&reading->first_error) ? -1 : 0;
}

static int read_as_they_lie(struct sorted_rows *rows, struct reading *reading, struct store *store,
			    struct simhash_error *error)
{
	unsigned count = connections(reading->finder);
	struct store **stores = calloc(count, sizeof *stores);
	int status;

	if (stores == NULL)
		return error_set_memory(error);
	status = open_stores(store, stores, &count, error);
	if (status == 0)
		status = count > 1 ? cut_places(reading, count, error) : add_all(reading, error);
	if (status == 0)
		status = read_places(rows, reading, stores, count, error);
	close_stores(stores, count);
	free(stores);
	free(reading->places);
	return status;
}

/* Those before the range that reach it, then its own. */
static int look_up(struct row_reader *reader, struct simhash_error *error)
{
	const struct reading *reading = reader->reading;
	const struct finder *finder = reading->finder;
	struct key_range range;
	struct row_cursor *cursor;
	int64_t up, down;

	if (reading->low > 0) {
		range = range_of(finder, INT64_MIN, reading->low - 1);
		rule_slope(&finder->request->rule, &up, &down);
		if (store_rows_reaching(reader->store, &range, reading->low, up, down, &cursor,
					error) != 0 ||
		    take_rows(reader, cursor, error) != 0)
			return -1;
		reader->passed_over = 0;
	}
	if (finder->request->against != NULL && read_list(reader, error) != 0)
		return -1;
	range = range_of(finder, reading->low, reading->high);
	if (store_rows_in_order(reader->store, &range, &cursor, error) != 0 ||
	    take_rows(reader, cursor, error) != 0)
		return -1;
	return row_runs_end(reader->runs, error);
}

static int read_looked_up(struct sorted_rows *rows, struct reading *reading, struct store *store,
			  struct simhash_error *error)
{
	struct row_reader reader = {.reading = reading, .store = store};
	int status;

	rows->runs = calloc(1, sizeof *rows->runs);
	if (rows->runs == NULL)
		return error_set_memory(error);
	rows->runs_count = 1;
	rows->runs[0].budget = rows->budget;
	first_error_init(&reading->first_error, error);
	reader.runs = &rows->runs[0];
	status = look_up(&reader, error);
	rows->passed_over = reader.passed_over;
	arena_release(&reader.arena);
	return status;
}

/* Where some rows wait in files, all do: memory is for the search then. */
static int spill_all(struct sorted_rows *rows, struct simhash_error *error)
{
	bool has_files = false;

	for (unsigned i = 0; i < rows->runs_count; i++)
		has_files = has_files || rows->runs[i].spilled > 0;
	for (unsigned i = 0; has_files && i < rows->runs_count; i++)
		if (row_runs_spill(&rows->runs[i], error) != 0)
			return -1;
	return 0;
}

int sorted_rows_read(struct sorted_rows *rows, const struct finder *finder, struct store *store,
		     int64_t low, int64_t high, bool looks_up, struct simhash_error *error)
{
	struct reading reading = {
		.finder = finder, .low = low, .high = high, .list_is_taken = ATOMIC_FLAG_INIT};
	int status;

	*rows = (struct sorted_rows){.budget = memory_for_rows(finder),
				     .cursor_bytes = finder_memory(finder) / CURSOR_SHARE};
	status = looks_up ? read_looked_up(rows, &reading, store, error)
			  : read_as_they_lie(rows, &reading, store, error);
	return status == 0 ? spill_all(rows, error) : status;
}

uint64_t sorted_rows_count(const struct sorted_rows *rows)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < rows->runs_count; i++)
		count += rows->runs[i].rows;
	return count;
}

bool sorted_rows_are_sketched(const struct sorted_rows *rows)
{
	for (unsigned i = 0; i < rows->runs_count; i++)
		if (rows->runs[i].unsketched > 0)
			return false;
	return true;
}

void sorted_rows_release(struct sorted_rows *rows)
{
	for (unsigned i = 0; i < rows->runs_count; i++)
		row_runs_release(&rows->runs[i]);
	free(rows->runs);
	*rows = (struct sorted_rows){.runs = NULL};
}

/*
 * Reads rows in the order of the table or by the index, and sorts them in runs. sorted_cursor.c
 * merges the runs.
 * SPDX-License-Identifier: MIT
 */
#include "find/rows/sorted_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/threads/threads.h"
#include "find/rows/row_places.h"
#include "find/rule/against.h"
#include "store/open/store.h"
#include "store/open/view.h"

#define CONNECTION_BYTES (2 << 20) /* the size of database data in the memory of a connection */
#define CURSOR_SHARE 32		   /* the share of memory for a cursor */
/* Rows counted at once for the progress, so that threads do not wait for each other. */
#define ROWS_COUNTED 256

struct reading {
	const struct finder *finder;
	int64_t low, high;
	bool without_wide;    /* sort wide texts as other files */
	atomic_bool has_wide; /* was a wide text sorted otherwise? */
	struct row_places places;
	atomic_flag list_is_taken;
	struct first_error first_error;
	/*
	 * The error of a lost connection. It is no failure if other connections can read the rest.
	 */
	struct first_error lost;
	struct simhash_error lost_error;
};

struct row_reader {
	struct reading *reading;
	struct store *store;
	bool is_lost; /* the connection was lost */
	struct row_runs *runs;
	struct arena arena; /* memory for the displayed name of one row */
	uint64_t passed_over;
	unsigned uncounted; /* rows read that the progress does not include yet */
};

/* ---- Memory ---- */

/* The rest is for the search that follows and the list of pairs. */
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

/* ---- Progress ---- */

static void begin_progress(const struct finder *finder, bool looks_up)
{
	struct find_progress *progress = finder->resources->progress;
	long long parts = looks_up ? 1 : finder->request->parts;

	if (progress == NULL)
		return;
	atomic_store(&progress->read, 0);
	atomic_store(&progress->to_read, atomic_load(&progress->rows_total) * parts);
	atomic_store(&progress->is_reading, true);
}

static void show_progress(struct row_reader *reader)
{
	struct find_progress *progress = reader->reading->finder->resources->progress;

	if (progress != NULL)
		atomic_fetch_add(&progress->read, reader->uncounted);
	reader->uncounted = 0;
}

static void end_progress(const struct finder *finder)
{
	if (finder->resources->progress != NULL)
		atomic_store(&finder->resources->progress->is_reading, false);
}

/* ---- Reading ---- */

/* Does the rule need to know which content is common? All rows are counted for that. */
static bool counts_contents(const struct finder *finder)
{
	return verify_is_graded(&finder->request->rule.verify) && finder->request->measure == NULL;
}

/* Is a row in the range of keys, or does it reach the range? */
static bool is_wanted(const struct reading *reading, const struct find_file *file)
{
	if (counts_contents(reading->finder))
		return true;
	if (file->uniform > reading->high)
		return false;
	return file->uniform >= reading->low ||
	       (uint64_t)reading->low - (uint64_t)file->uniform <= (uint64_t)file->reach;
}

/*
 * A copy of a wide text that has no sketch is not known to be wide. So all are sorted as other files
 * if there are files without a sketch.
 */
static void settle_uniform(struct reading *reading, struct find_file *file)
{
	if (!file->is_wide)
		return;
	if (reading->without_wide) {
		file->uniform = find_file_tags(file);
		file->reach = rule_end_reach(&reading->finder->request->rule, file);
	} else {
		atomic_store_explicit(&reading->has_wide, true, memory_order_relaxed);
	}
}

static int add_row(struct row_reader *reader, const struct file_row *row,
		   struct simhash_error *error)
{
	struct reading *reading = reader->reading;
	const struct finder *finder = reading->finder;
	struct find_file file;

	if (finder_convert(finder, row, &file, error) != 0)
		return -1;
	settle_uniform(reading, &file);
	if (!is_wanted(reading, &file))
		return 0;
	arena_clear(&reader->arena);
	if (finder_show(finder, row, &reader->arena, &file, error) != 0)
		return -1;
	return row_runs_add(reader->runs, &file, error);
}

static int take_row(struct row_reader *reader, const struct file_row *row,
		    struct simhash_error *error)
{
	if (++reader->uncounted == ROWS_COUNTED)
		show_progress(reader);
	if (finder_takes(reader->reading->finder, row))
		return add_row(reader, row, error);
	reader->passed_over++;
	return 0;
}

static struct row_filter filter_of(const struct finder *finder, int64_t low, int64_t high)
{
	bool verifies = finder->request->rule.verify.mode != VERIFY_NO;

	return (struct row_filter){.columns =
					   FINDING_COLUMNS | ROW_KEY(finder_read_key(finder)) |
					   (verifies ? ROW_RESEMBLANCE : 0) |
					   (finder->request->with_dates ? ROW_DOCUMENT_DATES : 0),
				   .tag_set = finder->tag_set,
				   .key = SIMHASH_UNIFORM,
				   .low = low,
				   .high = high,
				   .with_empty = finder->request->with_empty};
}

/* Take all rows of a cursor, and end the cursor. */
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

/* The files of a list become rows as in the index. */
static int read_list(struct row_reader *reader, struct simhash_error *error)
{
	const struct find_request *request = reader->reading->finder->request;
	struct file_row row;
	int status = 0;

	while (!first_error_is_set(&reader->reading->first_error) &&
	       (status = against_next(request->against, &row, error)) == 1) {
		if (request->rule.verify.mode == VERIFY_NO)
			row.has_resemblance = false;
		if (row.size_bytes == 0 && !request->with_empty)
			continue;
		if (finder_leaves_out(reader->reading->finder, &row))
			reader->passed_over++;
		else if (add_row(reader, &row, error) != 0)
			return -1;
	}
	return status < 0 ? -1 : 0;
}

static void note_row(struct read_rows *read, const struct file_row *row)
{
	memcpy(read->last, row->path_hash, sizeof read->last);
	if (read->count++ == 0)
		memcpy(read->first, row->path_hash, sizeof read->first);
}

/* Take the rows of a place. At the end, `read` says which rows were read. */
static int take_place(struct row_reader *reader, const struct row_place *place,
		      struct read_rows *read, struct simhash_error *error)
{
	const struct row_filter filter = filter_of(reader->reading->finder, INT64_MIN, INT64_MAX);
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int status;

	if (store_rows_lying(&cursor, reader->store, &filter, place, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		if (take_row(reader, &row, error) != 0) {
			status = -1;
			break;
		}
		note_row(read, &row);
	}
	store_rows_end(&cursor);
	return status;
}

/*
 * After a lost connection, other threads read the rest: all of them see the same state of the
 * index.
 */
static int read_place(struct row_reader *reader, const struct row_place *place,
		      struct simhash_error *error)
{
	struct row_places *places = &reader->reading->places;
	struct read_rows read = {.count = 0};

	if (take_place(reader, place, &read, error) == 0)
		return row_places_end(places, place, &read, error);
	if (row_places_give_up(places, place, &read, error) != 0 ||
	    error->code != SIMHASH_E_CONNECTION)
		return -1;
	first_error_set(&reader->reading->lost, error);
	reader->is_lost = true;
	return 0;
}

static void *run_reader(void *argument)
{
	struct row_reader *reader = argument;
	struct reading *reading = reader->reading;
	struct row_place place;
	struct simhash_error error;
	int status = 0;

	if (reading->finder->request->against != NULL &&
	    !atomic_flag_test_and_set(&reading->list_is_taken))
		status = read_list(reader, &error);
	while (status == 0 && !reader->is_lost && !first_error_is_set(&reading->first_error) &&
	       row_places_take(&reading->places, &place))
		status = read_place(reader, &place, &error);
	show_progress(reader);
	if (status == 0)
		status = row_runs_end(reader->runs, &error);
	if (status != 0)
		first_error_set(&reading->first_error, &error);
	arena_release(&reader->arena);
	return NULL;
}

/* Open `wanted` connections, or fewer if the server refuses more. The first one exists already. */
static unsigned open_stores(struct store **stores, unsigned wanted)
{
	unsigned count = 1;

	for (; count < wanted; count++) {
		store_open_another(stores[0], &stores[count]);
		if (stores[count] == NULL)
			break;
	}
	return count;
}

static void close_stores(struct store **stores, unsigned first, unsigned count)
{
	for (unsigned i = first; i < count; i++) {
		store_close(stores[i]);
		stores[i] = NULL;
	}
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
		row_runs_init(&rows->runs[i], rows->budget / count);
		readers[i] = (struct row_reader){
			.reading = reading, .store = stores[i], .runs = &rows->runs[i]};
	}
	first_error_init(&reading->first_error, error);
	first_error_init(&reading->lost, &reading->lost_error);
	threads_run(count, run_reader, readers, sizeof *readers);
	for (unsigned i = 0; i < count; i++)
		rows->passed_over += readers[i].passed_over;
	free(readers);
	if (first_error_is_set(&reading->first_error))
		return -1;
	if (reading->places.count == 0)
		return 0;
	*error = reading->lost_error;
	return -1;
}

/*
 * Several connections read ranges if all can see the same state of the index. They also read
 * partitions on other servers, which have no common state. Otherwise one connection reads all rows
 * with one statement.
 */
static int read_from(struct sorted_rows *rows, struct reading *reading, struct store **stores,
		     unsigned count, struct simhash_error *error)
{
	struct partitions partitions = {.lists = NULL};
	bool has_view = count > 1 && store_share_view(stores, count);
	unsigned used = 1;
	int status;

	if (has_view) {
		used = count;
		status = row_places_cut(&reading->places, &reading->finder->hosts, used, error);
	} else if (store_deal_partitions(stores[0], count, &partitions)) {
		used = (unsigned)partitions.count;
		status = row_places_dealt(&reading->places, &partitions, error);
	} else {
		status = row_places_all(&reading->places, error);
	}
	close_stores(stores, used, count);
	if (status == 0)
		status = read_places(rows, reading, stores, used, error);
	if (has_view)
		store_end_view(stores[0]);
	row_places_release(&reading->places);
	partitions_release(&partitions);
	return status;
}

static int read_as_they_lie(struct sorted_rows *rows, struct reading *reading, struct store *store,
			    struct simhash_error *error)
{
	unsigned wanted = connections(reading->finder), count;
	struct store **stores = calloc(wanted, sizeof *stores);
	int status;

	if (stores == NULL)
		return error_set_memory(error);
	stores[0] = store;
	count = open_stores(stores, wanted);
	status = read_from(rows, reading, stores, count, error);
	close_stores(stores, 1, count);
	free(stores);
	return status;
}

/* Read the rows before the range that reach it, then the rows of the range. */
static int look_up(struct row_reader *reader, struct simhash_error *error)
{
	const struct reading *reading = reader->reading;
	const struct finder *finder = reading->finder;
	struct row_filter filter;
	struct row_cursor cursor;
	int64_t up, down;

	if (reading->low > 0) {
		filter = filter_of(finder, INT64_MIN, reading->low - 1);
		rule_slope(&finder->request->rule, &up, &down);
		if (store_rows_reaching(&cursor, reader->store, &filter, reading->low, up, down,
					error) != 0 ||
		    take_rows(reader, &cursor, error) != 0)
			return -1;
		reader->passed_over = 0;
	}
	if (finder->request->against != NULL && read_list(reader, error) != 0)
		return -1;
	filter = filter_of(finder, reading->low, reading->high);
	if (store_rows_in_order(&cursor, reader->store, &filter, error) != 0 ||
	    take_rows(reader, &cursor, error) != 0)
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
	row_runs_init(&rows->runs[0], rows->budget);
	first_error_init(&reading->first_error, error);
	reader.runs = &rows->runs[0];
	status = look_up(&reader, error);
	rows->passed_over = reader.passed_over;
	arena_release(&reader.arena);
	return status;
}

/* ---- All rows ---- */

/* If some rows are in files, write all rows to files, because the search needs the memory. */
static int spill_all(struct sorted_rows *rows, struct simhash_error *error)
{
	bool has_files = false;

	for (unsigned i = 0; i < rows->runs_count; i++)
		has_files = has_files || rows->runs[i].runs.spilled > 0;
	for (unsigned i = 0; has_files && i < rows->runs_count; i++)
		if (row_runs_spill(&rows->runs[i], error) != 0)
			return -1;
	return 0;
}

static int read_rows(struct sorted_rows *rows, struct reading *reading, struct store *store,
		     bool looks_up, struct simhash_error *error)
{
	int status;

	*rows = (struct sorted_rows){.budget = memory_for_rows(reading->finder),
				     .cursor_bytes = finder_memory(reading->finder) / CURSOR_SHARE};
	begin_progress(reading->finder, looks_up);
	status = looks_up ? read_looked_up(rows, reading, store, error)
			  : read_as_they_lie(rows, reading, store, error);
	end_progress(reading->finder);
	return status;
}

int sorted_rows_read(struct sorted_rows *rows, const struct finder *finder, struct store *store,
		     int64_t low, int64_t high, bool looks_up, struct simhash_error *error)
{
	/* A list can only be read once. */
	struct reading reading = {.finder = finder,
				  .low = low,
				  .high = high,
				  .without_wide = finder->request->against != NULL,
				  .list_is_taken = ATOMIC_FLAG_INIT};
	int status = read_rows(rows, &reading, store, looks_up, error);

	if (status == 0 && reading.has_wide && !sorted_rows_are_sketched(rows)) {
		sorted_rows_release(rows);
		reading.without_wide = true;
		status = read_rows(rows, &reading, store, looks_up, error);
	}
	if (status == 0)
		status = spill_all(rows, error);
	if (status == 0 && counts_contents(finder))
		status = sorted_rows_count_contents(rows, finder->request->rule.verify.common,
						    error);
	return status;
}

uint64_t sorted_rows_count(const struct sorted_rows *rows)
{
	uint64_t count = 0;

	for (unsigned i = 0; i < rows->runs_count; i++)
		count += rows->runs[i].rows;
	return count;
}

static int compare_keys(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int sorted_rows_marks(const struct sorted_rows *rows, const struct row_range *range, int64_t **keys,
		      size_t *count, struct simhash_error *error)
{
	size_t capacity = 1;

	for (unsigned i = 0; i < rows->runs_count; i++)
		capacity += rows->runs[i].zone_count;
	*keys = malloc(capacity * sizeof **keys);
	*count = 0;
	if (*keys == NULL)
		return error_set_memory(error);
	for (unsigned i = 0; i < rows->runs_count; i++)
		*count += row_runs_marks(&rows->runs[i], range, *keys + *count);
	qsort(*keys, *count, sizeof **keys, compare_keys);
	return 0;
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

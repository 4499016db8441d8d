/*
 * Finds the files whose counts and size occur more than once, and reads their rows.
 * SPDX-License-Identifier: MIT
 */
#include "cli/review/read_copies.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/data/hash_set.h"
#include "base/files/path.h"
#include "base/sort/sort.h"
#include "cli/options/operands.h"
#include "cli/terminal/terminal.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/rows/row_reader.h"

#define STATUS_ROWS 100000 /* the rows between two status lines */
/* Beyond this share of all rows, reading all rows is faster than looking up some. */
#define LOOKED_UP_SHARE 4

enum {
	ROWS_OF_COPIES = ROW_HOST | ROW_PATH_HASH | ROW_DIRECTORY | ROW_NAME | ROW_SIZE |
			 ROW_MTIME | ROW_DEVICE | ROW_INODE | ROW_COMPRESSED_SIZE | ROW_CONTENTS |
			 ROW_CONTENT_HASH
};

struct copy_reader {
	struct review_model *model;
	const struct review_source *source;
	struct row_scope scope;
	struct hash_set wanted; /* the path hashes of files that may have copies */
	uint64_t rows;		/* that were read */
};

static void show_rows(struct copy_reader *reader)
{
	char text[80], count[32];

	if (++reader->rows % STATUS_ROWS != 0)
		return;
	snprintf(text, sizeof text, "simkeep: read %s files", format_count(reader->rows, count));
	show_status(text);
}

/* ---- Which files may have copies ---- */

/* Entries of the index with one key. */
struct run {
	struct run_entry {
		int64_t size;
		uint8_t path_hash[PATH_HASH_SIZE];
	} * entries;
	size_t count, capacity;
};

static int compare_sizes(const void *a, const void *b, void *context)
{
	const struct run_entry *x = a, *y = b;

	(void)context;
	return (x->size > y->size) - (x->size < y->size);
}

static int end_run(struct copy_reader *reader, struct run *run, struct simhash_error *error)
{
	struct run_entry *entries = run->entries;

	if (run->count > 1)
		sort_with(entries, run->count, sizeof *entries, compare_sizes, NULL);
	for (size_t i = 0; run->count > 1 && i < run->count; i++)
		if (((i > 0 && entries[i - 1].size == entries[i].size) ||
		     (i + 1 < run->count && entries[i + 1].size == entries[i].size)) &&
		    hash_set_add(&reader->wanted, entries[i].path_hash, error) != 0)
			return -1;
	run->count = 0;
	return 0;
}

static int add_entry(struct run *run, const struct file_row *row, struct simhash_error *error)
{
	if (array_reserve(&run->entries, &run->capacity, run->count + 1, sizeof *run->entries,
			  error) != 0)
		return -1;
	run->entries[run->count].size = row->size_bytes;
	memcpy(run->entries[run->count++].path_hash, row->path_hash, PATH_HASH_SIZE);
	return 0;
}

static int find_wanted(struct copy_reader *reader, struct store *store, struct simhash_error *error)
{
	const struct row_filter filter = {.columns = ROW_HOST | ROW_PATH_HASH | ROW_SIZE |
						     ROW_UNIFORM,
					  .tag_set = reader->scope.tag_set,
					  .key = SIMHASH_UNIFORM,
					  .low = INT64_MIN,
					  .high = INT64_MAX,
					  .order = ORDER_BY_INDEX};
	struct row_cursor cursor;
	struct file_row row = {.host = 0};
	struct run run = {.count = 0};
	int64_t key = -1;
	int status, ended = 0;

	if (store_rows_in_order(&cursor, store, &filter, error) != 0)
		return -1;
	while (ended == 0 && (status = store_rows_next(&cursor, &row, error)) == 1) {
		show_rows(reader);
		if (row.host != reader->scope.host || row.size_bytes == 0)
			continue;
		if (row.keys.key[SIMHASH_UNIFORM] != key)
			ended = end_run(reader, &run, error);
		key = row.keys.key[SIMHASH_UNIFORM];
		if (ended == 0)
			ended = add_entry(&run, &row, error);
	}
	store_rows_end(&cursor);
	if (ended == 0 && status == 0)
		ended = end_run(reader, &run, error);
	free(run.entries);
	if (ended != 0 || status < 0)
		return -1;
	return hash_set_sort(&reader->wanted, error);
}

/* ---- Their rows ---- */

static bool is_below(const struct operands *operands, const char *path)
{
	for (size_t i = 0; i < operands->below_count; i++)
		if (path_is_at_or_below(bytes_of(path), operands->below[i]))
			return true;
	return operands->below_count == 0;
}

static int take_path(struct copy_reader *reader, const struct file_row *row, char *path,
		     struct simhash_error *error)
{
	const struct review_source *source = reader->source;
	struct keep_file file = {.path = path,
				 .size_bytes = row->size_bytes,
				 .mtime_ns = row->mtime_ns,
				 .device = (uint64_t)row->device,
				 .inode = (uint64_t)row->inode};

	/* A left-over file of an interrupted act belongs to --undo. */
	if (path[0] != '/' || !is_below(source->operands, path) || keep_is_left_over(path) ||
	    !operands_let_through(source->operands, source->exclusions, path, row->size_bytes) ||
	    source->leaves_out(source->context, path))
		return 0;
	memcpy(file.hash, row->content_hash, KEEP_HASH_SIZE);
	return review_add(reader->model, &file, keep_is_protected(source->policy, path), error);
}

static int take_row(struct copy_reader *reader, const struct file_row *row,
		    struct simhash_error *error)
{
	char *path;
	int status;

	if (row->size_bytes <= 0 || row_is_inside(row->compressed_size_bytes) ||
	    row_is_text(row->contents))
		return 0;
	path = path_join(row->directory, row->name);
	if (path == NULL)
		return error_set_memory(error);
	status = take_path(reader, row, path, error);
	free(path);
	return status;
}

static int read_all(struct copy_reader *reader, struct store *store, struct simhash_error *error)
{
	const struct row_filter filter = {.columns = ROWS_OF_COPIES,
					  .tag_set = reader->scope.tag_set};
	struct row_cursor cursor;
	struct file_row row = {.host = 0};
	int status = 0, taken = 0;

	if (store_rows_lying(&cursor, store, &filter, NULL, error) != 0)
		return -1;
	while (taken == 0 && (status = store_rows_next(&cursor, &row, error)) == 1) {
		show_rows(reader);
		if (row.host == reader->scope.host && hash_set_has(&reader->wanted, row.path_hash))
			taken = take_row(reader, &row, error);
	}
	store_rows_end(&cursor);
	return taken != 0 ? -1 : status;
}

static int look_up(struct copy_reader *reader, struct store *store, struct simhash_error *error)
{
	const struct hash_set *wanted = &reader->wanted;
	struct row_cursor cursor = {.columns = 0};
	struct file_row row = {.host = 0};
	int status = 0, taken = 0;

	for (size_t at = 0, count; taken == 0 && status == 0 && at < wanted->count; at += count) {
		const uint8_t(*hashes)[PATH_HASH_SIZE] =
			(const uint8_t(*)[PATH_HASH_SIZE])(wanted->hashes + at * PATH_HASH_SIZE);
		count = wanted->count - at < ROWS_WITH_MAX ? wanted->count - at : ROWS_WITH_MAX;
		status = store_rows_with(&cursor, store, ROWS_OF_COPIES & ~(unsigned)ROW_HOST,
					 &reader->scope, hashes, count, error);
		while (taken == 0 && status == 0 &&
		       (status = store_rows_next(&cursor, &row, error)) == 1) {
			taken = take_row(reader, &row, error);
			status = 0;
		}
	}
	store_rows_end(&cursor);
	return taken != 0 ? -1 : status;
}

int review_read_copies(struct review_model *model, const struct review_source *source,
		       struct simhash_error *error)
{
	struct copy_reader reader = {
		.model = model, .source = source, .wanted = {.width = PATH_HASH_SIZE}};
	int status = -1;

	if (store_tag_set_id(source->store, source->tags, false, &reader.scope.tag_set, error) !=
		    0 ||
	    store_host_id(source->store, source->host, false, &reader.scope.host, error) != 0)
		return -1;
	if (reader.scope.tag_set == 0 || reader.scope.host == 0)
		return 0;
	status = find_wanted(&reader, source->store, error);
	if (status == 0)
		status = reader.wanted.count > reader.rows / LOOKED_UP_SHARE
				 ? read_all(&reader, source->store, error)
				 : look_up(&reader, source->store, error);
	hash_set_release(&reader.wanted);
	show_status(NULL);
	return status;
}

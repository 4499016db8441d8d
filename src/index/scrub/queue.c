/*
 * Reads the verification times of all files of a scope, and sorts them.
 * SPDX-License-Identifier: MIT
 */
#include "index/scrub/queue.h"

#include <string.h>

#include "base/basic/error.h"
#include "store/rows/row_reader.h"

#ifndef QUEUE_BYTES
#define QUEUE_BYTES ((size_t)64 << 20)
#endif

static size_t size_of(const void *head)
{
	(void)head;
	return sizeof(struct queued_file);
}

static int compare_numbers(int64_t x, int64_t y)
{
	return x < y ? -1 : x > y;
}

static int compare(const void *a, const void *b, const void *context)
{
	const struct queued_file *x = a, *y = b;
	int order = compare_numbers(x->verified_at_ns, y->verified_at_ns);

	(void)context;
	if (order == 0)
		order = compare_numbers(x->device, y->device);
	if (order == 0)
		order = compare_numbers(x->inode, y->inode);
	return order != 0 ? order : memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);
}

static int step(struct run_reader *reader, struct simhash_error *error)
{
	return run_reader_step(reader, sizeof(struct queued_file), size_of, error);
}

static bool comes_before(const void *a, const void *b, const void *context)
{
	const struct run_reader *x = a, *y = b;

	return compare(x->record, y->record, context) < 0;
}

static bool is_wanted(const struct bytes *tops, size_t count, const struct file_row *row)
{
	for (size_t i = 0; i < count; i++)
		if (row_is_below(row->directory, row->name, tops[i]) ||
		    row_is_at(row->directory, row->name, tops[i]))
			return true;
	return count == 0;
}

static int64_t later(int64_t x, int64_t y)
{
	return x > y ? x : y;
}

static int add(struct scrub_queue *queue, const struct file_row *row, int64_t found_at_ns,
	       struct simhash_error *error)
{
	struct queued_file *file = runs_room(&queue->runs, sizeof *file, error);

	if (file == NULL)
		return -1;
	*file = (struct queued_file){
		.verified_at_ns =
			later(found_at_ns, later(row->verified_at_ns, row->scanned_at_ns)),
		.device = row->device,
		.inode = row->inode,
		.size_bytes = row->size_bytes};
	memcpy(file->path_hash, row->path_hash, PATH_HASH_SIZE);
	queue->files++;
	queue->bytes += scrub_cost(row->size_bytes);
	runs_add(&queue->runs, (uint64_t)file->verified_at_ns ^ UINT64_C(1) << 63, sizeof *file);
	return 0;
}

/* Read the rows of files, without contents of archives and of compressed files. */
static int read_rows(struct scrub_queue *queue, struct store *store, const struct row_scope *scope,
		     const struct bytes *tops, size_t top_count, const atomic_bool *stop,
		     struct simhash_error *error)
{
	struct file_row row = {.host = scope->host};
	struct row_cursor cursor;
	int status;

	if (rows_begin(&cursor, store,
		       ROW_PATH_HASH | ROW_DIRECTORY | ROW_NAME | ROW_SIZE | ROW_DEVICE |
			       ROW_INODE | ROW_SCANNED_AT | ROW_VERIFIED_AT,
		       NOT_KEPT, error,
		       ", COALESCE(d.found_at_ns, 0) FROM file f LEFT JOIN damage d "
		       "ON d.tag_set = f.tag_set AND d.host = f.host "
		       "AND d.path_hash = f.path_hash WHERE f.tag_set = ? AND f.host = ? "
		       "AND f.compressed_size = 0") != 0)
		return -1;
	query_bind_scope(&cursor.query, scope);
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		int64_t found_at_ns = query_integer(&cursor.query, cursor.more);
		if (atomic_load(stop))
			status = error_set(error, ERROR_STOPPED, "stopped");
		else if (is_wanted(tops, top_count, &row))
			status = add(queue, &row, found_at_ns, error);
		if (status < 0)
			break;
	}
	store_rows_end(&cursor);
	return status < 0 ? -1 : 0;
}

int scrub_queue_init(struct scrub_queue *queue, struct store *store, const struct row_scope *scope,
		     const struct bytes *tops, size_t top_count, const atomic_bool *stop,
		     struct simhash_error *error)
{
	*queue = (struct scrub_queue){
		.runs = {.budget = QUEUE_BYTES, .size_of = size_of, .compare = compare}};
	if (read_rows(queue, store, scope, tops, top_count, stop, error) != 0 ||
	    runs_end(&queue->runs, error) != 0 ||
	    run_cursor_open(&queue->cursor, &queue->runs, QUEUE_BYTES, error) != 0)
		return -1;
	return run_cursor_start(&queue->cursor, step, comes_before, NULL, error);
}

int scrub_queue_next(struct scrub_queue *queue, const struct queued_file **file,
		     struct simhash_error *error)
{
	int status = run_cursor_next(&queue->cursor, step, comes_before, NULL, error);

	if (status == 1)
		*file = run_cursor_first(&queue->cursor)->record;
	return status;
}

void scrub_queue_release(struct scrub_queue *queue)
{
	run_cursor_close(&queue->cursor);
	runs_release(&queue->runs);
}

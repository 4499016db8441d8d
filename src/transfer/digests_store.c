/*
 * Stores the files of a digest list as rows. It sorts the lines by path hash before it stores them,
 * because the table has this order. So the table is written once from its beginning to its end,
 * instead of all over for each part. A line is sorted as text, which is smaller than its row, and
 * is parsed again when its row is stored.
 * SPDX-License-Identifier: MIT
 */
#include "transfer/digests.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/byte_order.h"
#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/sort/line_sorter.h"
#include "lists/digest_reader.h"
#include "store/names/names.h"
#include "store/open/load.h"
#include "store/open/store.h"
#include "store/write/sketch_table.h"
#include "transfer/row_part.h"

#ifndef SORT_BYTES
#define SORT_BYTES ((size_t)64 << 20)
#endif

#define PART_BYTES ((size_t)16 << 20)

struct storing {
	const struct digests_import *import;
	uint64_t *files;
	/*
	 * The lines that wait. As long as the list is in order, they are stored when memory is
	 * full.
	 */
	struct line_sorter *sorter;
	size_t waiting_bytes;
	uint64_t lines;
	bool is_out_of_order;
	uint8_t last[PATH_HASH_SIZE];
	char *line; /* the line, after the hash by which it is sorted */
	size_t line_capacity;
	/* Sorted rows that are stored next. */
	struct row_part *part;
	size_t part_bytes; /* of the lines of these rows, most of which can be pieces */
};

/* ---- Lines in order ---- */

static int write_part(struct storing *storing, struct simhash_error *error)
{
	const struct digests_import *import = storing->import;
	struct row_part *part = storing->part;
	struct store_batch batch = {.rows = part->chosen};
	int64_t removed;

	for (size_t i = 0; i < part->count; i++)
		store_batch_append(&batch, part->directories, &part->rows[i]);
	if (batch.row_count > 0 &&
	    store_write(import->store, &import->scope, &batch, &removed, error) != 0)
		return -1;
	*storing->files += batch.row_count;
	row_part_clear(part);
	storing->part_bytes = 0;
	return 0;
}

static int store_line(void *context, const char *line, size_t size, struct simhash_error *error)
{
	struct storing *storing = context;
	struct row_part *part = storing->part;
	struct file_row row;

	if (atomic_load(storing->import->stop))
		return error_set(error, ERROR_STOPPED, "stopped");
	if (digest_reader_again(storing->import->reader, (struct bytes){line, size}, &row, error) !=
	    1)
		return -1;
	/* If several lines have the same path, the last line of the list comes first. */
	if (part->count > 0 &&
	    memcmp(part->rows[part->count - 1].path_hash, row.path_hash, PATH_HASH_SIZE) == 0)
		return 0;
	if ((part->count == PART_ROWS || storing->part_bytes > PART_BYTES) &&
	    write_part(storing, error) != 0)
		return -1;
	storing->part_bytes += size;
	row.scanned_at_ns = clock_wall_ns();
	return row_part_add(part, &row, error);
}

static int store_waiting(struct storing *storing, struct simhash_error *error)
{
	int status = line_sorter_write(storing->sorter, store_line, storing, error);

	line_sorter_free(storing->sorter);
	storing->sorter = NULL;
	storing->waiting_bytes = 0;
	return status == 0 ? write_part(storing, error) : -1;
}

/* ---- Lines as they come ---- */

/* Add a line to the sorter. Lines with the same path are sorted in the opposite order. */
static int sort_line(struct storing *storing, const struct file_row *row, struct bytes line,
		     struct simhash_error *error)
{
	struct line_key key = {.key = (double)read_big_endian(row->path_hash, 6),
			       .then = -(double)storing->lines++,
			       .text = PATH_HASH_SIZE,
			       .size = PATH_HASH_SIZE + line.size};

	if (array_reserve(&storing->line, &storing->line_capacity, key.size, 1, error) != 0)
		return -1;
	memcpy(storing->line, row->path_hash, PATH_HASH_SIZE);
	memcpy(storing->line + PATH_HASH_SIZE, line.data, line.size);
	storing->waiting_bytes += key.size;
	return line_sorter_add_all(storing->sorter, storing->line, &key, 1, error);
}

static int take_line(struct storing *storing, const struct file_row *row,
		     struct simhash_error *error)
{
	struct bytes line = digest_reader_line(storing->import->reader);

	if (storing->lines > 0 && memcmp(storing->last, row->path_hash, PATH_HASH_SIZE) >= 0)
		storing->is_out_of_order = true;
	memcpy(storing->last, row->path_hash, PATH_HASH_SIZE);
	if (!storing->is_out_of_order && storing->waiting_bytes + line.size > SORT_BYTES &&
	    store_waiting(storing, error) != 0)
		return -1;
	if (storing->sorter == NULL && line_sorter_new(SORT_BYTES, &storing->sorter, error) != 0)
		return -1;
	return sort_line(storing, row, line, error);
}

static int store_list(struct storing *storing, struct simhash_error *error)
{
	const struct digests_import *import = storing->import;
	struct simhash_error later;
	struct file_row row;
	int status;

	while ((status = digest_reader_next(import->reader, &row, error)) == 1) {
		if (atomic_load(import->stop))
			return error_set(error, ERROR_STOPPED, "stopped");
		if (take_line(storing, &row, error) != 0)
			return -1;
	}
	/* The lines before a refused line are stored, and the first error is reported. */
	if (storing->sorter != NULL && store_waiting(storing, status == 0 ? error : &later) != 0)
		return -1;
	return status;
}

/* Store the hashes of the list as sketches of the files. */
static int want_hashes(const struct digests_import *import, struct simhash_error *error)
{
	unsigned hashes = digest_reader_hashes(import->reader), count = 0;
	int64_t ids[FILE_HASHES];

	for (unsigned i = 0; i < FILE_HASHES; i++)
		if ((hashes & 1U << i) != 0 && store_measure_id(import->store, file_hash_names[i],
								true, &ids[count++], error) != 0)
			return -1;
	store_want_measures(import->store, ids, count);
	return 0;
}

int digests_store(const struct digests_import *import, uint64_t *files, struct simhash_error *error)
{
	struct storing storing = {.import = import, .files = files, .part = row_part_new()};
	struct simhash_error later;
	int status;

	*files = 0;
	if (storing.part == NULL)
		return error_set_memory(error);
	digest_reader_stop_at(import->reader, import->stop);
	status = want_hashes(import, error);
	if (status == 0)
		status = store_begin_load(import->store, error);
	if (status == 0) {
		status = store_list(&storing, error);
		if (status != 0 && error->code == ERROR_STOPPED)
			status = 0;
		if (store_end_load(import->store, status == 0 ? error : &later) != 0)
			status = -1;
	}
	line_sorter_free(storing.sorter);
	free(storing.line);
	row_part_free(storing.part);
	return status;
}

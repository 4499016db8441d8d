/*
 * Reads the pieces of contents from the source, and writes them in transactions of limited size.
 * SPDX-License-Identifier: MIT
 */
#include "transfer/copy_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/arena.h"
#include "store/rows/piece_rows.h"

/* The limit of bytes and of rows in one transaction. */
#define BYTES_AT_ONCE (4 << 20)
#define ROWS_AT_ONCE 1024

struct waiting_pieces {
	struct store *to;
	int64_t to_tag_set;
	struct piece_row rows[ROWS_AT_ONCE];
	size_t count, bytes;
	struct arena values;
};

static int write_waiting(struct waiting_pieces *waiting, struct simhash_error *error)
{
	int status = store_write_pieces(waiting->to, waiting->to_tag_set, waiting->rows,
					waiting->count, error);

	arena_clear(&waiting->values);
	waiting->count = waiting->bytes = 0;
	return status;
}

/* Add a row with a copy of its value. */
static int add_waiting(struct waiting_pieces *waiting, const struct piece_row *row,
		       struct simhash_error *error)
{
	char *value;

	if ((waiting->count == ROWS_AT_ONCE || waiting->bytes > BYTES_AT_ONCE) &&
	    write_waiting(waiting, error) != 0)
		return -1;
	value = arena_take(&waiting->values, row->value.size);
	if (value == NULL)
		return error_set_memory(error);
	memcpy(value, row->value.data, row->value.size);
	waiting->rows[waiting->count] = *row;
	waiting->rows[waiting->count++].value.data = value;
	waiting->bytes += row->value.size;
	return 0;
}

/* Copy the pieces of one content, if the source has them. */
static int copy_content(struct waiting_pieces *waiting, struct store *from, int64_t tag_set,
			const struct file_row *file, struct simhash_error *error)
{
	struct piece_row row;
	struct query query;
	int status;

	piece_row_of(file, &row);
	status = piece_rows_find(&query, from, tag_set, &row, error);
	if (status != 1)
		return status;
	status = add_waiting(waiting, &row, error);
	piece_rows_end(&query);
	return status;
}

int copy_pieces(struct store *from, int64_t from_tag_set, struct store *to, int64_t to_tag_set,
		const struct file_row *const *rows, size_t count, struct simhash_error *error)
{
	struct waiting_pieces *waiting = calloc(1, sizeof *waiting);
	int status = 0;

	if (waiting == NULL)
		return error_set_memory(error);
	waiting->to = to;
	waiting->to_tag_set = to_tag_set;
	for (size_t i = 0; status == 0 && i < count; i++)
		if (rows[i]->pieces_made != 0)
			status = copy_content(waiting, from, from_tag_set, rows[i], error);
	if (status == 0 && waiting->count > 0)
		status = write_waiting(waiting, error);
	arena_release(&waiting->values);
	free(waiting);
	return status;
}

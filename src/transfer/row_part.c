/*
 * Rows that are kept for a while.
 * SPDX-License-Identifier: MIT
 */
#include "transfer/row_part.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"

struct row_part *row_part_new(void)
{
	return calloc(1, sizeof(struct row_part));
}

void row_part_free(struct row_part *part)
{
	if (part == NULL)
		return;
	row_part_clear(part);
	arena_release(&part->texts);
	free(part);
}

int row_part_add(struct row_part *part, const struct file_row *row, struct simhash_error *error)
{
	struct file_row *kept = &part->rows[part->count];
	struct bytes *texts[] = {&kept->directory, &kept->name, &kept->extension};

	*kept = *row;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char *text = arena_take(&part->texts, texts[i]->size + 1);
		if (text == NULL)
			return error_set_memory(error);
		memcpy(text, texts[i]->data, texts[i]->size);
		texts[i]->data = text;
	}
	row_sketches_hold(kept->sketches);
	part->count++;
	return 0;
}

int row_part_read(struct row_part *part, struct store *store, const struct row_scope *scope,
		  const uint8_t *after, struct simhash_error *error)
{
	struct file_row row = {.host = scope->host};
	struct row_cursor cursor;
	int status =
		store_rows_after(&cursor, store, ROW_WHOLE, scope, after, NULL, PART_ROWS, error);

	row_part_clear(part);
	while (status == 0 && (status = store_rows_next(&cursor, &row, error)) == 1)
		status = row_part_add(part, &row, error);
	store_rows_end(&cursor);
	return status;
}

void row_part_clear(struct row_part *part)
{
	while (part->count > 0)
		row_sketches_drop(part->rows[--part->count].sketches);
	arena_clear(&part->texts);
}

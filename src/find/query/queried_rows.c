/*
 * Reads the rows that may be similar to the requested files: rows with given keys, or all rows in a
 * range.
 * SPDX-License-Identifier: MIT
 */
#include "find/query/queried_rows.h"

#include <string.h>

#include "find/rule/texts.h"
#include "scan/document/document.h"

void queried_rows_begin(struct queried_rows *rows, const struct finder *finder, struct store *store,
			const struct queried_key *keys, size_t count)
{
	*rows = (struct queried_rows){.finder = finder, .store = store, .next = keys, .end = keys};
	if (count > 0)
		rows->end += count;
}

static unsigned columns(const struct finder *finder)
{
	return FINDING_COLUMNS | ROW_LINKS | ROW_KEY(finder->request->rule.key) | ROW_RESEMBLANCE;
}

int queried_rows_begin_range(struct queried_rows *rows, const struct finder *finder,
			     const struct queried_reach *reach, struct simhash_error *error)
{
	int64_t uniform[2], sizes[2];
	struct row_filter filter = {.columns = columns(finder), .tag_set = finder->tag_set};

	queried_rows_begin(rows, finder, finder->store, NULL, 0);
	queried_reach_bounds(reach, finder, uniform, sizes);
	filter.low = uniform[0];
	filter.high = uniform[1];
	return store_rows_near(&rows->cursor, finder->store, &filter, sizes, error);
}

int queried_rows_begin_after(struct queried_rows *rows, const struct finder *finder,
			     const uint8_t *after, int64_t most, struct simhash_error *error)
{
	const struct row_scope scope = {.tag_set = finder->tag_set, .host = finder->local_host};

	queried_rows_begin(rows, finder, finder->store, NULL, 0);
	return store_rows_after(&rows->cursor, finder->store, columns(finder), &scope, after, NULL,
				most, error);
}

/* Begin to read the next rows, which belong to one host. Returns 1, or 0 after the last ones. */
static int read_more(struct queried_rows *rows, struct simhash_error *error)
{
	const struct finder *finder = rows->finder;
	struct row_scope scope = {.tag_set = finder->tag_set};
	size_t count = 0;

	rows->present = rows->next;
	for (; rows->next < rows->end; rows->next++) {
		const struct row_key *row = &rows->next->row;
		if (count > 0 && row_key_compare(row, &rows->next[-1].row) == 0)
			continue;
		if (count == ROWS_WITH_MAX || (count > 0 && row->host != scope.host))
			break;
		scope.host = row->host;
		memcpy(rows->looked_for[count++], row->path_hash, PATH_HASH_SIZE);
	}
	if (count == 0)
		return 0;
	return store_rows_with(&rows->cursor, rows->store, columns(finder), &scope,
			       (const uint8_t(*)[PATH_HASH_SIZE])rows->looked_for, count,
			       error) == 0
		       ? 1
		       : -1;
}

static int next_row(struct queried_rows *rows, struct file_row *row, struct simhash_error *error)
{
	int status;

	do {
		status = store_rows_next(&rows->cursor, row, error);
		if (status != 0)
			return status;
		status = read_more(rows, error);
	} while (status == 1);
	return status;
}

/* The keys of a row among the keys that are being read. */
static void find_keys(const struct queried_rows *rows, const struct file_row *row,
		      const struct queried_key **near, size_t *near_count)
{
	const struct queried_key *low = rows->present, *high = rows->next, *end;
	struct row_key key = {.host = row->host};

	memcpy(key.path_hash, row->path_hash, PATH_HASH_SIZE);
	while (low < high) {
		const struct queried_key *middle = low + (high - low) / 2;
		if (row_key_compare(&middle->row, &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < rows->next && row_key_compare(&end->row, &key) == 0; end++)
		;
	*near = low;
	*near_count = (size_t)(end - low);
}

/* Does another row have the text of this document? If it is a member, its name says so. */
static bool has_text(const struct file_row *row)
{
	return (row->contents & CONTENTS_HAS_TEXT) != 0 ||
	       (row_is_inside(row->compressed_size_bytes) &&
		document_is_one(inner_name(row->name), bytes_of("")));
}

int queried_rows_next(struct queried_rows *rows, struct find_file *file,
		      const struct queried_key **near, size_t *near_count,
		      struct simhash_error *error)
{
	bool uses_texts = finder_uses_texts(rows->finder);
	struct file_row row = {.host = 0};
	int status;

	while ((status = next_row(rows, &row, error)) == 1) {
		int64_t document_bytes = 0;
		rows->read++;
		memcpy(rows->last, row.path_hash, PATH_HASH_SIZE);
		find_keys(rows, &row, near, near_count);
		if (uses_texts && row_is_text(row.contents))
			text_row_as_document(&row, &document_bytes);
		if (!finder_takes(rows->finder, &row))
			continue;
		arena_clear(&rows->arena);
		if (finder_read(rows->finder, &row, &rows->arena, file, error) != 0)
			return -1;
		file->document_bytes = document_bytes;
		file->lacks_text = uses_texts && document_bytes == 0 && has_text(&row);
		return 1;
	}
	return status;
}

void queried_rows_end(struct queried_rows *rows)
{
	store_rows_end(&rows->cursor);
	arena_release(&rows->arena);
}

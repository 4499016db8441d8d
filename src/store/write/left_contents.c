/*
 * Removes the pieces of contents that no file has any more. Files with the same content have the
 * same counts, so the index of cells finds them.
 * SPDX-License-Identifier: MIT
 */
#include "store/write/left_contents.h"

#include <stdlib.h>
#include <string.h>

#include "base/data/array.h"
#include "store/row/cells.h"
#include "store/rows/piece_rows.h"
#include "store/rows/row_reader.h"

/* The maximum number of noted contents: 6 MB. */
#define NOTED_MAX (64 << 10)

/*
 * Smaller contents have no pieces, also if their normal form is half as large again. Many small
 * files can have the same size and counts, and each search would look up all of them.
 */
#define BYTES_MIN 1000

#define COLUMNS                                                                                 \
	(ROW_PATH_HASH | ROW_CONTENT_HASH | ROW_CONTENTS | ROW_SIZE | ROW_TABLE | ROW_UNIFORM | \
	 ROW_PIECES)

struct left_content {
	struct piece_row pieces;
	int64_t cell, uniform;
};

static int note(struct left_contents *left, const struct file_row *row, struct simhash_error *error)
{
	struct left_content *content;

	if (row->pieces_made == 0 || row->size_bytes < BYTES_MIN || left->count == NOTED_MAX)
		return 0;
	if (array_reserve(&left->contents, &left->capacity, left->count + 1, sizeof *left->contents,
			  error) != 0)
		return -1;
	content = &left->contents[left->count++];
	piece_row_of(row, &content->pieces);
	content->cell = cell_of(row).cell;
	content->uniform = row->keys.key[SIMHASH_UNIFORM];
	return 0;
}

int left_contents_note(struct left_contents *left, struct store *store,
		       const struct row_scope *scope, const struct hash_range *range,
		       struct simhash_error *error)
{
	struct file_row row = {.host = scope->host};
	struct row_cursor cursor;
	int status;

	if (rows_begin_range(&cursor, store, COLUMNS, KEPT_READ_LEFT_ROWS, scope, range, NOTED_MAX,
			     error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1)
		if (note(left, &row, error) != 0) {
			status = -1;
			break;
		}
	store_rows_end(&cursor);
	return status;
}

/* Does the new row have the pieces of the same content? */
static bool keeps_pieces(const struct file_row *row, const struct file_row *now)
{
	return row->pieces_made != 0 && row->size_bytes == now->size_bytes &&
	       memcmp(row->content_hash, now->content_hash, CONTENT_HASH_SIZE) == 0;
}

/* Note a row that has this path hash now, unless the new row has the same pieces. */
static int note_replaced(struct left_contents *left, const struct file_row *now,
			 const struct file_row *const *rows, size_t count,
			 struct simhash_error *error)
{
	for (size_t i = 0; i < count; i++)
		if (memcmp(rows[i]->path_hash, now->path_hash, PATH_HASH_SIZE) == 0)
			return keeps_pieces(rows[i], now) ? 0 : note(left, now, error);
	return 0;
}

int left_contents_note_rows(struct left_contents *left, struct store *store,
			    const struct row_scope *scope, const struct file_row *const *rows,
			    size_t count, struct simhash_error *error)
{
	struct row_cursor cursor = {.columns = 0};
	int status = 0;

	/* The rows of a first load replace none. */
	if (store->is_first_load)
		return 0;
	for (size_t done = 0, some; status == 0 && done < count; done += some) {
		uint8_t hashes[ROWS_WITH_MAX][PATH_HASH_SIZE];
		struct file_row now = {.host = scope->host};
		some = count - done < ROWS_WITH_MAX ? count - done : ROWS_WITH_MAX;
		for (size_t i = 0; i < some; i++)
			memcpy(hashes[i], rows[done + i]->path_hash, PATH_HASH_SIZE);
		status = store_rows_with(&cursor, store, COLUMNS, scope,
					 (const uint8_t(*)[PATH_HASH_SIZE])hashes, some, error);
		while (status == 0 && (status = store_rows_next(&cursor, &now, error)) == 1)
			status = note_replaced(left, &now, rows + done, some, error);
	}
	store_rows_end(&cursor);
	return status;
}

/*
 * Has any row the pieces of this content? The index of cells lacks the content hash. SQLite prefers
 * to read all rows to looking up some, unless a join names the order.
 */
static int find_content(struct store *store, const struct row_scope *scope,
			const struct left_content *content, struct simhash_error *error)
{
	struct query query;
	int64_t one;

	if (query_begin_kept(&query, store, KEPT_FIND_CONTENT,
			     "SELECT 1 FROM file i CROSS JOIN file f ON f.tag_set = i.tag_set "
			     "AND f.host = i.host AND f.path_hash = i.path_hash "
			     "WHERE i.tag_set = ? AND i.cell = ? AND i.uniform = ? AND i.size = ? "
			     "AND f.content_hash = ? AND f.pieces <> 0 LIMIT 1",
			     error) != 0)
		return -1;
	query_bind_integer(&query, scope->tag_set);
	query_bind_integer(&query, content->cell);
	query_bind_integer(&query, content->uniform);
	query_bind_integer(&query, content->pieces.size_bytes);
	query_bind_data(&query, content->pieces.content_hash, CONTENT_HASH_SIZE);
	return query_first(&query, &one, error);
}

int left_contents_remove(struct left_contents *left, struct store *store,
			 const struct row_scope *scope, struct simhash_error *error)
{
	for (size_t i = 0; i < left->count; i++) {
		const struct left_content *content = &left->contents[i];
		int found = find_content(store, scope, content, error);
		if (found < 0 || (found == 0 && piece_rows_remove(store, scope->tag_set,
								  &content->pieces, error) != 0))
			return -1;
	}
	return 0;
}

void left_contents_release(struct left_contents *left)
{
	free(left->contents);
	*left = (struct left_contents){.count = 0};
}

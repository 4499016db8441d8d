/*
 * Writes, reads and removes rows of the table `pieces`: the pieces of each content, once in each
 * tag set (core/content_pieces.h).
 *
 *     piece_rows_begin(&cursor, store, tag_set, error);
 *     while ((status = piece_rows_next(&cursor, &row, error)) == 1)
 *             if (piece_row_load(&row, values, &pieces))
 *                     compare(&row, &pieces);
 *     piece_rows_end(&cursor);
 *
 * A row can remain after the last file with its content, so check that a file has the content.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_PIECE_ROWS_H
#define SIMHASH_STORE_PIECE_ROWS_H

#include "core/content_pieces.h"
#include "store/open/query.h"
#include "store/row/file_row.h"
#include "store/row/hash_range.h"

/*
 * A row of the table. The text of a document has the content hash of the document, so `is_text` and
 * the size also belong to the key.
 */
struct piece_row {
	uint8_t content_hash[CONTENT_HASH_SIZE];
	bool is_text;
	int64_t size_bytes;
	struct bytes value; /* the stored form; lives until the next row */
};

/* Set the key of a content: of the file in `row`, or of the text in it. */
void piece_row_of(const struct file_row *row, struct piece_row *key);

/* For qsort: by content hash, then files before texts, then by size. */
int compare_piece_rows(const void *a, const void *b);

/*
 * Read the pieces of a row. `values` has room for PIECES_MAX; see content_pieces_load. False if the
 * row is damaged: treat it like a content without pieces.
 */
static inline bool piece_row_load(const struct piece_row *row, uint64_t *values,
				  struct content_pieces *pieces)
{
	return content_pieces_load(row->value.data, row->value.size, values, pieces);
}

/*
 * Read all rows of a tag set, in any order. On a server the query occupies its connection until it
 * ends.
 */
int piece_rows_begin(struct query *query, struct store *store, int64_t tag_set,
		     struct simhash_error *error);
/* A part of the table; both ends are included. */
struct piece_range {
	int64_t first, last;	  /* the numbers of rows, if the engine numbers them */
	struct hash_range hashes; /* otherwise the content hashes */
};

/* Divide the table into ranges of about the same size. */
int piece_rows_divide(struct store *store, struct piece_range *ranges, unsigned count,
		      struct simhash_error *error);

/*
 * Read the rows of a range (NULL: all), but rows whose value does not pass the test may be left out.
 * The integers of the test are `is_text` and the size. Both are borrowed until the query ends.
 */
int piece_rows_begin_tested(struct query *query, struct store *store, int64_t tag_set,
			    const struct piece_range *range, struct row_test *test,
			    struct simhash_error *error);
/* Get the next row. Returns 1, 0 at the end, -1 for an error. */
int piece_rows_next(struct query *query, struct piece_row *row, struct simhash_error *error);
/* Call this even after an error. */
void piece_rows_end(struct query *query);

/*
 * Read the pieces of one content: fill row->value. It lives until the query ends. Returns 1, 0 if
 * the content has no row, -1 for an error; after 1, end the query with piece_rows_end.
 */
int piece_rows_find(struct query *query, struct store *store, int64_t tag_set,
		    struct piece_row *row, struct simhash_error *error);

/* ---- Writing; in a transaction ---- */

/* Write rows; rows with the same key are replaced. */
int piece_rows_insert(struct store *store, int64_t tag_set, const struct piece_row *rows,
		      size_t count, struct simhash_error *error);

/* Write the pieces of the contents of files. */
int piece_rows_write(struct store *store, int64_t tag_set, const struct file_row *const *rows,
		     size_t count, struct simhash_error *error);

int piece_rows_remove(struct store *store, int64_t tag_set, const struct piece_row *row,
		      struct simhash_error *error);

/* Write rows in a separate transaction. */
int store_write_pieces(struct store *store, int64_t tag_set, const struct piece_row *rows,
		       size_t count, struct simhash_error *error);

#endif

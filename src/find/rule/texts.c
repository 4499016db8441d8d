/*
 * Reads the texts of documents, sorts them by content hash, and keeps one text for each content.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/texts.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "store/rows/row_reader.h"

struct texts {
	struct text *items; /* sorted by content hash, each once */
	size_t count, capacity;
	bool have_archives;
};

static int compare_hashes(const void *x, const void *y)
{
	return memcmp(((const struct text *)x)->content_hash,
		      ((const struct text *)y)->content_hash, CONTENT_HASH_SIZE);
}

/* The texts of one content differ only if different programs extracted them. */
static int compare_texts(const void *x, const void *y)
{
	const struct text *a = x, *b = y;
	int order = compare_hashes(a, b);

	if (order == 0)
		order = (a->size_bytes > b->size_bytes) - (a->size_bytes < b->size_bytes);
	if (order == 0)
		order = memcmp(&a->table, &b->table, sizeof a->table);
	if (order == 0)
		order = (int)b->has_resemblance - (int)a->has_resemblance;
	return order == 0 ? memcmp(&a->resemblance, &b->resemblance, sizeof a->resemblance) : order;
}

static int add(struct texts *texts, const struct file_row *row, struct simhash_error *error)
{
	struct text *text;

	if (array_reserve(&texts->items, &texts->capacity, texts->count + 1, sizeof *texts->items,
			  error) != 0)
		return -1;
	text = &texts->items[texts->count++];
	*text = (struct text){.size_bytes = row->size_bytes,
			      .dates = row->dates,
			      .table = row->table,
			      .has_resemblance = row->has_resemblance};
	memcpy(text->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	if (row->has_resemblance)
		text->resemblance = row->resemblance;
	return 0;
}

static int read_all(struct texts *texts, struct store *store, int64_t tag_set,
		    struct simhash_error *error)
{
	const unsigned columns = ROW_SIZE | ROW_CONTENTS | ROW_CONTENT_HASH | ROW_TABLE |
				 ROW_RESEMBLANCE | ROW_DOCUMENT_DATES;
	const long long least = CONTENTS_IS_ARCHIVE;
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int status;

	if (rows_begin(&cursor, store, columns, NOT_KEPT, error,
		       " FROM file f WHERE +f.tag_set = ? AND f.contents >= %lld", least) != 0)
		return -1;
	query_bind_integer(&cursor.query, tag_set);
	while ((status = store_rows_next(&cursor, &row, error)) == 1) {
		texts->have_archives |= row_is_archive(row.contents);
		if (row_is_text(row.contents) && add(texts, &row, error) != 0) {
			status = -1;
			break;
		}
	}
	store_rows_end(&cursor);
	return status;
}

int texts_read(struct texts **read, struct store *store, int64_t tag_set,
	       struct simhash_error *error)
{
	struct texts *texts = calloc(1, sizeof *texts);
	size_t count = 0;

	*read = texts;
	if (texts == NULL)
		return error_set_memory(error);
	if (read_all(texts, store, tag_set, error) != 0)
		return -1;
	if (texts->count > 0)
		qsort(texts->items, texts->count, sizeof *texts->items, compare_texts);
	for (size_t i = 0; i < texts->count; i++)
		if (i == 0 || compare_hashes(&texts->items[i], &texts->items[count - 1]) != 0)
			texts->items[count++] = texts->items[i];
	texts->count = count;
	return 0;
}

void texts_free(struct texts *texts)
{
	if (texts != NULL)
		free(texts->items);
	free(texts);
}

bool texts_have_archives(const struct texts *texts)
{
	return texts->have_archives;
}

size_t texts_count(const struct texts *texts)
{
	return texts == NULL ? 0 : texts->count;
}

static int compare_key(const void *key, const void *text)
{
	return memcmp(key, ((const struct text *)text)->content_hash, CONTENT_HASH_SIZE);
}

const struct text *texts_find(const struct texts *texts,
			      const uint8_t content_hash[CONTENT_HASH_SIZE])
{
	return texts_count(texts) == 0 ? NULL
				       : bsearch(content_hash, texts->items, texts->count,
						 sizeof *texts->items, compare_key);
}

void text_row_as_document(struct file_row *row, int64_t *document_bytes)
{
	struct bytes inner = inner_name(row->name), path = row->directory;
	uint8_t hash[DIRECTORY_HASH_SIZE];

	*document_bytes = row->links;
	row->contents = 0;
	if (inner.size < row->name.size) { /* the document is a member itself */
		row->name.size -= inner.size + 2;
	} else if (is_inside_directory(path)) {
		size_t slash = --path.size;
		while (slash > 0 && path.data[slash - 1] != '/')
			slash--;
		row->name = (struct bytes){path.data + slash, path.size - slash};
		row->directory.size = slash > 1 ? slash - 1 : slash;
		row->compressed_size_bytes = 0;
	} else { /* the document has no known path, as in an anonymous list */
		return;
	}
	directory_hash(row->directory, hash);
	path_hash(hash, row->name, row->path_hash);
}

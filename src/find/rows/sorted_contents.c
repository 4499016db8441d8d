/*
 * Counts the parts of the sketches of all contents, to determine which content is common.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "find/rows/sorted_rows.h"
#include "find/rule/common_content.h"
#include "find/rule/sketch_keys.h"

/* The contents with one key uniform. Copies of a content have the same key. */
struct key_contents {
	struct key_content {
		uint64_t hash;
		struct simhash_resemblance_sketch sketch;
	} * items;
	size_t count, capacity;
	size_t distinct_at; /* remove the copies when there are this many */
};

#define DISTINCT_AT 1024

static int compare_hashes(const void *a, const void *b)
{
	const struct key_content *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static void remove_copies(struct key_contents *contents)
{
	size_t kept = 0;

	if (contents->count > 1)
		qsort(contents->items, contents->count, sizeof *contents->items, compare_hashes);
	for (size_t i = 0; i < contents->count; i++)
		if (kept == 0 || contents->items[kept - 1].hash != contents->items[i].hash)
			contents->items[kept++] = contents->items[i];
	contents->count = kept;
	contents->distinct_at = 2 * kept + DISTINCT_AT;
}

static uint64_t count_key(struct key_contents *contents, struct common_content *common)
{
	size_t count;

	remove_copies(contents);
	count = contents->count;
	for (size_t i = 0; i < count; i++)
		common_content_add(common, &contents->items[i].sketch);
	*contents = (struct key_contents){.items = contents->items,
					  .capacity = contents->capacity,
					  .distinct_at = DISTINCT_AT};
	return count;
}

static int note_content(struct key_contents *contents, const struct find_file *file,
			struct simhash_error *error)
{
	struct key_content *added;

	if (contents->count >= contents->distinct_at)
		remove_copies(contents);
	if (array_reserve(&contents->items, &contents->capacity, contents->count + 1,
			  sizeof *contents->items, error) != 0)
		return -1;
	added = &contents->items[contents->count++];
	memcpy(&added->hash, file->content_hash, sizeof added->hash);
	added->sketch = file->sketch;
	return 0;
}

int sorted_rows_count_contents(const struct sorted_rows *rows, struct common_content *common,
			       struct simhash_error *error)
{
	static const struct row_range all = {INT64_MIN, INT64_MAX, INT64_MIN};
	struct key_contents contents = {.distinct_at = DISTINCT_AT};
	struct sorted_cursor cursor = {.merge = {0}};
	const struct packed_row *row;
	struct find_file file;
	int64_t key = INT64_MIN;
	uint64_t count = 0;
	int status;

	if (common == NULL)
		return error_set_memory(error);
	common_content_clear(common);
	status = sorted_cursor_begin(&cursor, rows, &all, error);
	while (status == 0 && (status = sorted_cursor_next(&cursor, &row, error)) == 1) {
		status = 0;
		packed_row_read(row, &file);
		if (file.uniform != key)
			count += count_key(&contents, common);
		key = file.uniform;
		if (sketch_has_shingles(&file))
			status = note_content(&contents, &file, error);
	}
	count += count_key(&contents, common);
	common_content_settle(common, count);
	sorted_cursor_end(&cursor);
	free(contents.items);
	return status;
}

/*
 * Numbers contents by their keys in a hash table, and reads all rows once.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/content_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/basic/seed.h"
#include "base/data/array.h"

/* ---- Contents ---- */

struct content_key {
	const struct content_set *contents;
	const struct piece_row *row;
};

static bool is_content(const void *key, uint32_t number)
{
	const struct content_key *wanted = key;

	return compare_piece_rows(&wanted->contents->keys[number - 1], wanted->row) == 0;
}

uint32_t content_set_find(const struct content_set *contents, const struct piece_row *row)
{
	return slots_number(&contents->slots, hash_seeded_bytes(row->content_hash), is_content,
			    &(struct content_key){contents, row});
}

uint32_t content_set_add(struct content_set *contents, const struct piece_row *row,
			 struct simhash_error *error)
{
	uint64_t hash = hash_seeded_bytes(row->content_hash);
	struct slot *slot;

	if (slots_reserve(&contents->slots, error) != 0)
		return 0;
	slot = slots_find(&contents->slots, hash, is_content, &(struct content_key){contents, row});
	if (slot->number != NO_ITEM)
		return slot->number;
	if (array_reserve(&contents->keys, &contents->capacity, contents->count + 1,
			  sizeof *contents->keys, error) != 0)
		return 0;
	contents->keys[contents->count] = *row;
	contents->keys[contents->count].value = (struct bytes){NULL, 0};
	slots_add(&contents->slots, slot, hash, (uint32_t)++contents->count);
	return slot->number;
}

void content_set_release(struct content_set *contents)
{
	slots_release(&contents->slots);
	free(contents->keys);
	*contents = (struct content_set){.keys = NULL};
}

/* ---- Files ---- */

struct reading {
	struct content_files *files;
	const struct finder *finder;
	const struct content_set *contents;
	const struct content_wish *wish;
};

/* Files represent members of archives, and otherwise the order of names decides. */
static bool represents(const struct find_file *x, const struct find_file *y)
{
	bool x_is_inside = row_is_inside(x->compressed_size_bytes);
	bool y_is_inside = row_is_inside(y->compressed_size_bytes);

	return x_is_inside != y_is_inside ? y_is_inside : find_file_compare(x, y) < 0;
}

static int add_file(struct reading *reading, uint32_t number, const struct find_file *file,
		    struct simhash_error *error)
{
	struct content_files *files = reading->files;
	uint32_t first = files->of[number - 1].first;

	if (first != 0 && !reading->wish->all) {
		if (represents(file, &files->items[first - 1].file))
			files->items[first - 1].file = *file;
		return 0;
	}
	if (array_reserve(&files->items, &files->capacity, files->count + 1, sizeof *files->items,
			  error) != 0)
		return -1;
	files->items[files->count++] = (struct content_file){*file, 0};
	if (first == 0)
		files->of[number - 1].first = (uint32_t)files->count;
	else
		files->items[files->of[number - 1].last - 1].next = (uint32_t)files->count;
	files->of[number - 1].last = (uint32_t)files->count;
	return 0;
}

static int take_row(struct reading *reading, const struct file_row *row,
		    struct simhash_error *error)
{
	const struct content_wish *wish = reading->wish;
	struct find_file file;
	struct piece_row key;
	uint32_t number;

	if (finder_convert(reading->finder, row, &file, error) != 0)
		return -1;
	key = (struct piece_row){.is_text = file.document_bytes > 0, .size_bytes = file.size_bytes};
	memcpy(key.content_hash, file.content_hash, CONTENT_HASH_SIZE);
	number = content_set_find(reading->contents, &key);
	if (number == 0 || (wish->contents != NULL && !wish->contents[number - 1]))
		return 0;
	if (finder_show(reading->finder, row, &reading->files->arena, &file, error) != 0)
		return -1;
	return wish->leaves_out != NULL && wish->leaves_out(wish->context, &file)
		       ? 0
		       : add_file(reading, number, &file, error);
}

int content_files_read(struct content_files *files, const struct finder *finder,
		       const struct content_set *contents, const struct content_wish *wish,
		       struct simhash_error *error)
{
	const struct row_filter filter = {.columns = FINDING_COLUMNS | ROW_RESEMBLANCE |
						     ROW_KEY(finder->request->rule.key),
					  .tag_set = finder->tag_set};
	struct reading reading = {files, finder, contents, wish};
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int status;

	files->of = calloc(contents->count + 1, sizeof *files->of);
	if (files->of == NULL)
		return error_set_memory(error);
	if (store_rows_lying(&cursor, finder->store, &filter, NULL, error) != 0)
		return -1;
	while ((status = store_rows_next(&cursor, &row, error)) == 1)
		if (finder_takes(finder, &row) && take_row(&reading, &row, error) != 0) {
			status = -1;
			break;
		}
	store_rows_end(&cursor);
	return status;
}

void content_files_release(struct content_files *files)
{
	free(files->items);
	free(files->of);
	arena_release(&files->arena);
	*files = (struct content_files){.items = NULL};
}

/*
 * Reading the rows around files asked for.
 * SPDX-License-Identifier: MIT
 */
#include "find/around.h"

#include <string.h>

void around_begin(struct around *around, const struct finder *finder, struct store *store,
		  const struct near_key *keys, size_t count)
{
	*around = (struct around){.finder = finder, .store = store, .next = keys, .end = keys};
	if (count > 0)
		around->end += count;
}

int around_begin_range(struct around *around, const struct finder *finder,
		       const struct vicinity *vicinity, struct simhash_error *error)
{
	const struct near_range range = vicinity_range(vicinity, finder);

	around_begin(around, finder, finder->store, NULL, 0);
	return store_rows_near(finder->store, &range, &around->cursor, error);
}

int around_begin_all(struct around *around, const struct finder *finder,
		     struct simhash_error *error)
{
	const struct key_range range = {.tag_set = finder->tag_set,
					.key = SIMHASH_UNIFORM,
					.low = INT64_MIN,
					.high = INT64_MAX,
					.also = finder->request->rule.key,
					.order = ORDER_NONE,
					.with_resemblance = true};

	around_begin(around, finder, finder->store, NULL, 0);
	return store_rows_in_order(finder->store, &range, &around->cursor, error);
}

/* Begin to read the next rows, which have one host: 1, or 0 after the last. */
static int read_more(struct around *around, struct simhash_error *error)
{
	const struct finder *finder = around->finder;
	struct row_scope scope = {.tag_set = finder->tag_set};
	struct row_key *rows = around->rows;
	size_t count = 0;

	store_rows_end(around->cursor);
	around->cursor = NULL;
	around->present = around->next;
	for (; around->next < around->end; around->next++) {
		const struct row_key *row = &around->next->row;
		if (count > 0 && row_key_compare(row, &rows[count - 1]) == 0)
			continue;
		if (count == ROWS_WITH_MAX || (count > 0 && row->host != scope.host))
			break;
		scope.host = row->host;
		rows[count++] = *row;
	}
	if (count == 0)
		return 0;
	return store_rows_with(around->store, &scope, rows, count, finder->request->rule.key, true,
			       &around->cursor, error) == 0
		       ? 1
		       : -1;
}

static int next_row(struct around *around, struct file_row *row, struct simhash_error *error)
{
	int status;

	do {
		if (around->cursor != NULL &&
		    (status = store_rows_next(around->cursor, row, error)) != 0)
			return status;
		status = read_more(around, error);
	} while (status == 1);
	return status;
}

/* The keys of a row among those that are read. */
static void find_keys(const struct around *around, const struct file_row *row,
		      const struct near_key **near, size_t *near_count)
{
	const struct near_key *low = around->present, *high = around->next, *end;
	struct row_key key = {.host = row->host};

	memcpy(key.path_hash, row->path_hash, PATH_HASH_SIZE);
	while (low < high) {
		const struct near_key *middle = low + (high - low) / 2;
		if (row_key_compare(&middle->row, &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < around->next && row_key_compare(&end->row, &key) == 0; end++)
		;
	*near = low;
	*near_count = (size_t)(end - low);
}

int around_next(struct around *around, struct find_file *file, const struct near_key **near,
		size_t *near_count, struct simhash_error *error)
{
	struct file_row row = {.host = 0};
	int status;

	while ((status = next_row(around, &row, error)) == 1) {
		if (!finder_takes(around->finder, &row))
			continue;
		arena_clear(&around->arena);
		if (finder_read(around->finder, &row, &around->arena, file, error) != 0)
			return -1;
		find_keys(around, &row, near, near_count);
		return 1;
	}
	return status;
}

void around_end(struct around *around)
{
	store_rows_end(around->cursor);
	arena_release(&around->arena);
	around->cursor = NULL;
}

/*
 * Reading the rows around a file asked for.
 *
 * Rows within a distance of the file are in few cells of the grid, and the index of cells shows, without
 * the rows, bounds of their sums and an outline of their counts. Rows that pass are then read.
 * SPDX-License-Identifier: MIT
 */
#include "find/around.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* The key skew_ext moves by its largest weight times the distance at most, and by 1 for each tag's rounding. */
static int64_t skew_moves(const struct simhash_tag_set *set, int64_t distance)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);
	uint32_t most = 0;
	wide moves;

	for (int t = 0; t < SIMHASH_TAGS; t++)
		most = tags[t].skew > most ? tags[t].skew : most;
	moves = (wide)distance * most / 1000 + SIMHASH_TAGS + 1;
	return moves > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)moves;
}

static void set_bounds(int64_t bounds[2], int64_t middle, int64_t reach)
{
	bounds[0] = middle < INT64_MIN + reach ? INT64_MIN : middle - reach;
	bounds[1] = middle > INT64_MAX - reach ? INT64_MAX : middle + reach;
}

/* With more cells than these, rows are read by uniform and size alone. */
#define CELLS_MAX 4096

static struct near_range range_around(const struct finder *finder, const struct asked_file *asked,
				      int64_t distance)
{
	const struct find_request *request = finder->request;
	const struct find_file *file = &asked->file;
	const struct simhash_tolerance *t = &request->rule.tolerance;
	struct near_range range = {
		.tag_set = finder->tag_set,
		.key = request->rule.key,
		.with_resemblance = true,
	};

	set_bounds(range.uniform, file->uniform, distance);
	range.size[1] = simhash_largest_partner(t, file->size_bytes);
	range.size[0] = (int64_t)((wide)file->size_bytes * SIMHASH_MILLION /
				  (wide)t->size_ratio_millionths);
	if (range.size[0] < 1 && !request->with_empty)
		range.size[0] = 1;
	return range;
}

/* What is asked of a class of sizes. */
struct class_search {
	struct near_bounds bounds;
	struct cell_range range;
};

/* By the rule partners of a class are no further away than the largest of them may be. */
static struct class_search search_class(const struct around *around, const struct near_range *all,
					int64_t class, int64_t distance, bool by_rule)
{
	const struct finder *finder = around->finder;
	const struct find_file *file = &around->asked->file;
	struct class_search search = {.bounds = {.tag_set = finder->tag_set,
						 .size = {all->size[0], all->size[1]},
						 .skew_ext = {INT64_MIN, INT64_MAX}}};

	if (by_rule) {
		int64_t nearer =
			rule_reach_to(&finder->request->rule, file, size_class_largest(class));
		distance = nearer < distance ? nearer : distance;
	}
	set_bounds(search.bounds.uniform, file->uniform, distance);
	/* Elsewhere a key may have been cut off at the end of 64 bits. */
	if (rule_is_by_extension(&finder->request->rule) && file->uniform < INT64_C(1) << 48 &&
	    distance < INT64_C(1) << 48)
		set_bounds(search.bounds.skew_ext, around->asked->keys.key[SIMHASH_SKEW_EXT],
			   skew_moves(finder->request->tags, distance));
	search.range = cells_within(class, &file->table, distance);
	return search;
}

/* Gather the keys of rows that may be near: 1, or 0 where there are too many cells for that. */
static int gather_keys(struct around *around, const struct near_range *all, int64_t distance,
		       bool by_rule, struct simhash_error *error)
{
	int64_t first = size_class_of(all->size[0]), last = size_class_of(all->size[1]), cells = 0;
	struct class_search search;

	for (int64_t class = first; class <= last && cells <= CELLS_MAX; class ++) {
		search = search_class(around, all, class, distance, by_rule);
		cells += store_cells_in(&search.range);
	}
	if (cells > CELLS_MAX)
		return 0;
	for (int64_t class = first; class <= last; class ++) {
		search = search_class(around, all, class, distance, by_rule);
		if (store_keys_near(around->finder->store, &search.bounds, &search.range,
				    &around->keys, error) != 0)
			return -1;
	}
	row_keys_sort(&around->keys);
	return 1;
}

static int begin(struct around *around, const struct finder *finder, const struct asked_file *asked,
		 int64_t distance, bool by_rule, struct simhash_error *error)
{
	struct near_range range = range_around(finder, asked, distance);
	int status;

	*around = (struct around){.finder = finder, .asked = asked};
	status = gather_keys(around, &range, distance, by_rule, error);
	if (status == 0)
		return store_rows_near(finder->store, &range, &around->cursor, error);
	if (status < 0)
		around_end(around);
	return status < 0 ? -1 : 0;
}

int around_begin(struct around *around, const struct finder *finder, const struct asked_file *asked,
		 int64_t distance, struct simhash_error *error)
{
	return begin(around, finder, asked, distance, false, error);
}

int around_begin_rule(struct around *around, const struct finder *finder,
		      const struct asked_file *asked, struct simhash_error *error)
{
	return begin(around, finder, asked, asked->file.reach, true, error);
}

int around_begin_all(struct around *around, const struct finder *finder,
		     const struct asked_file *asked, struct simhash_error *error)
{
	const struct key_range range = {.tag_set = finder->tag_set,
					.key = SIMHASH_UNIFORM,
					.low = INT64_MIN,
					.high = INT64_MAX,
					.also = finder->request->rule.key,
					.order = ORDER_NONE,
					.with_resemblance = true};

	*around = (struct around){.finder = finder, .asked = asked};
	return store_rows_in_order(finder->store, &range, &around->cursor, error);
}

static bool is_asked_itself(const struct find_file *asked, const struct find_file *file)
{
	return file->host == asked->host && !asked->is_stream &&
	       strcmp(find_file_path(file), find_file_path(asked)) == 0;
}

/* Begin to read the rows of the next keys, which have one host: 1, or 0 after the last. */
static int read_more(struct around *around, struct simhash_error *error)
{
	const struct finder *finder = around->finder;
	struct row_scope scope = {.tag_set = finder->tag_set};
	const struct row_key *keys;
	size_t left = around->keys.count - around->key, count = 0;

	store_rows_end(around->cursor);
	around->cursor = NULL;
	if (left == 0)
		return 0;
	keys = around->keys.keys + around->key;
	scope.host = keys->host;
	while (count < left && count < ROWS_WITH_MAX && keys[count].host == scope.host)
		count++;
	around->key += count;
	return store_rows_with(finder->store, &scope, keys, count, finder->request->rule.key, true,
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

int around_next(struct around *around, struct find_file *file, struct simhash_error *error)
{
	struct file_row row = {.host = 0};
	int status;

	while ((status = next_row(around, &row, error)) == 1) {
		if (!finder_takes(around->finder, &row))
			continue;
		arena_clear(&around->arena);
		if (finder_read(around->finder, &row, &around->arena, file, error) != 0)
			return -1;
		around->rows++;
		around->unsketched += !file->has_sketch;
		if (!is_asked_itself(&around->asked->file, file))
			return 1;
	}
	return status;
}

void around_end(struct around *around)
{
	store_rows_end(around->cursor);
	row_keys_release(&around->keys);
	arena_release(&around->arena);
	around->cursor = NULL;
}

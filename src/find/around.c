/*
 * Reading the rows around a file asked for.
 *
 * Rows within a distance R of the file are found by bounds that the index of uniform
 * shows without its rows: with the weights w of a key in thousandths, and any number c,
 * key - c * uniform moves by at most max |w - c| * R and 1 for each tag's rounding.
 * SPDX-License-Identifier: MIT
 */
#include "find/around.h"

#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* max |w - c| * distance over the tags, and 1 for each tag, rounded up. */
static int64_t key_moves(const struct simhash_tag_set *set, bool is_skew, uint32_t c_thousandths,
			 int64_t distance)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);
	uint32_t most = 0;
	wide moves;

	for (int t = 0; t < SIMHASH_TAGS; t++) {
		uint32_t w = is_skew ? tags[t].skew : tags[t].scatter;
		uint32_t apart = w > c_thousandths ? w - c_thousandths : c_thousandths - w;
		most = apart > most ? apart : most;
	}
	moves = (wide)distance * most / 1000 + SIMHASH_TAGS + 1;
	return moves > INT64_MAX / 2 ? INT64_MAX / 2 : (int64_t)moves;
}

static void set_bounds(int64_t bounds[2], int64_t middle, int64_t reach)
{
	bounds[0] = middle < INT64_MIN + reach ? INT64_MIN : middle - reach;
	bounds[1] = middle > INT64_MAX - reach ? INT64_MAX : middle + reach;
}

/* Half of the largest weight: nothing else makes the largest |w - c| smaller. */
static uint32_t middle_weight(const struct simhash_tag_set *set)
{
	const struct simhash_tag *tags = simhash_tag_set_tags(set);
	uint32_t largest = 0;

	for (int t = 0; t < SIMHASH_TAGS; t++)
		largest = tags[t].skew > largest ? tags[t].skew : largest;
	return largest / 2000 * 1000;
}

static struct near_range range_around(const struct finder *finder, const struct asked_file *asked,
				      int64_t distance)
{
	const struct find_request *request = finder->request;
	const struct find_file *file = &asked->file;
	const struct simhash_tolerance *t = &request->rule.tolerance;
	const int64_t *keys = asked->keys.key;
	bool is_small = file->uniform < INT64_C(1) << 48 && distance < INT64_C(1) << 48;
	uint32_t c = middle_weight(request->tags);
	struct near_range range = {
		.tag_set = finder->tag_set,
		.key = request->rule.key,
		.with_resemblance = true,
		.skew_ext = {INT64_MIN, INT64_MAX},
		.scatter_shift = {INT64_MIN, INT64_MAX},
		.skew_shift = {INT64_MIN, INT64_MAX},
	};

	set_bounds(range.uniform, file->uniform, distance);
	range.size[1] = simhash_largest_partner(t, file->size_bytes);
	range.size[0] = (int64_t)((wide)file->size_bytes * SIMHASH_MILLION /
				  (wide)t->size_ratio_millionths);
	if (range.size[0] < 1 && !request->with_empty)
		range.size[0] = 1;
	if (is_small) /* elsewhere a key may have been cut off at the end of 64 bits */
		set_bounds(range.scatter_shift, keys[SIMHASH_SCATTER] - keys[SIMHASH_UNIFORM],
			   key_moves(request->tags, false, 1000, distance));
	if (!rule_is_by_extension(&request->rule) || !is_small)
		return range;
	set_bounds(range.skew_ext, keys[SIMHASH_SKEW_EXT],
		   key_moves(request->tags, true, 0, distance));
	range.skew_factor = c / 1000;
	set_bounds(range.skew_shift,
		   keys[SIMHASH_SKEW_EXT] - range.skew_factor * keys[SIMHASH_UNIFORM],
		   key_moves(request->tags, true, c, distance));
	return range;
}

int around_begin(struct around *around, const struct finder *finder, const struct asked_file *asked,
		 int64_t distance, struct simhash_error *error)
{
	struct near_range range = range_around(finder, asked, distance);

	*around = (struct around){.finder = finder, .asked = asked};
	return store_rows_near(finder->store, &range, &around->cursor, error);
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

int around_next(struct around *around, struct find_file *file, struct simhash_error *error)
{
	struct file_row row = {.host = 0};
	int status;

	while ((status = store_rows_next(around->cursor, &row, error)) == 1) {
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
	arena_release(&around->arena);
	around->cursor = NULL;
}

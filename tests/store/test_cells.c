/*
 * Tests the guarantees of cells.h: all rows within a distance of a sum table are within the cells,
 * the sums and the outline for this distance, and few others are.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "random.h"
#include "store/row/cells.h"

static int64_t random_below(int64_t end)
{
	return end <= 0 ? 0 : (int64_t)(next_random() % (uint64_t)end);
}

/* A size of any class, often the first or last size of it. */
static int64_t random_size(void)
{
	int64_t size = (int64_t)(next_random() >> (1 + next_random() % 63));
	int64_t class = size_class_of(size);

	switch (next_random() % 3) {
	case 0:
		return size_class_largest(class);
	case 1:
		return class == 0 ? 0 : size_class_largest(class - 1) + 1;
	default:
		return size;
	}
}

/* Possible counts for the size, most of them much smaller. */
static void random_counts(struct file_row *row)
{
	for (unsigned t = 0; t < SIMHASH_TAGS; t++)
		row->table.count[t] = (uint64_t)random_below(row->size_bytes / 32 + 1);
	if (next_random() % 4 == 0)
		row->table.count[next_random() % SIMHASH_TAGS] = (uint64_t)row->size_bytes / 4;
}

/* A row at a distance of at most `distance`, with a similar size. */
static struct file_row moved(const struct file_row *row, int64_t distance, int64_t *moved_by)
{
	struct file_row other = *row;

	*moved_by = 0;
	other.size_bytes = row->size_bytes > INT64_MAX / 3 * 2
				   ? row->size_bytes
				   : row->size_bytes + random_below(row->size_bytes / 2 + 2);
	while (distance > *moved_by && next_random() % 16 != 0) {
		uint64_t *count = &other.table.count[next_random() % SIMHASH_TAGS];
		int64_t step = 1 + random_below(distance - *moved_by);
		if (next_random() % 2 == 0 && *count + (uint64_t)step <= (uint64_t)row->size_bytes)
			*count += (uint64_t)step;
		else if (*count >= (uint64_t)step)
			*count -= (uint64_t)step;
		else
			continue;
		*moved_by += step;
	}
	return other;
}

static bool is_in(const struct cell_range *range, const struct file_cell *cell)
{
	struct outline_counts counts = outline_unpack(cell->outline);
	bool has_cell = false;

	for (int64_t i = range->first[0]; i <= range->last[0]; i++)
		for (int64_t j = range->first[1]; j <= range->last[1]; j++)
			has_cell = has_cell || cell_at(range, i, j) == cell->cell;
	for (unsigned s = 0; s < SIGNED_SUMS; s++)
		if (cell->signed_sum[s] < range->low[s] || cell->signed_sum[s] > range->high[s])
			return false;
	return has_cell && outline_is_near(&range->near, &counts);
}

/* Tests the given row and the rows within a distance of it, in both directions. */
static void near_rows_are_found(void **state)
{
	(void)state;
	random_begin();
	for (int round = 0; round < 200000; round++) {
		struct file_row row = {.size_bytes = random_size()}, other;
		int64_t distance = row.size_bytes / 20 + 1, moved_by;
		struct file_cell cell;
		struct cell_range range;

		if (next_random() % 4 == 0)
			distance = distance / (1 + random_below(100)) + 1;
		random_counts(&row);
		other = moved(&row, distance, &moved_by);
		cell = cell_of(&other);
		range = cells_within(size_class_of(other.size_bytes), &row.table, moved_by);
		assert_true(is_in(&range, &cell));
		cell = cell_of(&row);
		range = cells_within(size_class_of(row.size_bytes), &other.table, moved_by);
		assert_true(is_in(&range, &cell));
	}
}

static void few_strangers_are_found(void **state)
{
	int found = 0;

	(void)state;
	random_begin();
	for (int round = 0; round < 10000; round++) {
		struct file_row row = {.size_bytes = 30000}, other = {.size_bytes = 30000};
		struct file_cell cell;
		struct cell_range range;

		random_counts(&row);
		random_counts(&other);
		cell = cell_of(&other);
		range = cells_within(size_class_of(30000), &row.table, 300);
		found += is_in(&range, &cell);
	}
	assert_true(found < 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_rows_are_found),
		cmocka_unit_test(few_strangers_are_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

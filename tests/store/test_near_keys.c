/*
 * Tests on each engine the guarantees of near_keys.h: the entries are the entries of the rows that
 * are near by cells.h. Also tests the guarantees of row_reader.h for rows that are looked up by
 * their keys.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/basic/error.h"
#include "engine.h"
#include "random.h"
#include "store/open/store.h"
#include "store/rows/near_keys.h"
#include "store/rows/row_reader.h"
#include "store/write/batch.h"

#define ROWS 1000

static struct simhash_error error;
static const struct row_scope scope = {1, 1};
static char names[ROWS][8];
static struct file_row rows[ROWS];

static void check(int status)
{
	if (status != 0)
		fail_msg("%s", error.message);
}

static int64_t random_below(int64_t end)
{
	return (int64_t)(next_random() % (uint64_t)end);
}

/* Rows with similar counts in three classes of sizes. */
static struct store *store_with_rows(void)
{
	struct store *store = engine_fresh_store();
	const struct file_row *pointers[ROWS];
	struct store_batch batch = {.rows = pointers, .row_count = ROWS};
	int64_t removed;

	for (int i = 0; i < ROWS; i++) {
		snprintf(names[i], sizeof names[i], "%d", i);
		rows[i] = engine_row("/n", names[i], (uint64_t)i);
		rows[i].size_bytes = 20000 + random_below(40000);
		rows[i].keys.key[SIMHASH_UNIFORM] = 0;
		for (int t = 0; t < SIMHASH_TAGS; t++) {
			rows[i].table.count[t] = (uint64_t)(500 + random_below(200));
			rows[i].keys.key[SIMHASH_UNIFORM] += (int64_t)rows[i].table.count[t];
		}
		rows[i].keys.key[SIMHASH_SKEW_EXT] = random_below(1000);
		rows[i].has_resemblance = i % 3 != 0;
		memset(rows[i].resemblance.registers, i % 255 + 1,
		       sizeof rows[i].resemblance.registers);
		pointers[i] = &rows[i];
	}
	check(store_write(store, &scope, &batch, &removed, &error));
	return store;
}

static bool is_within(int64_t value, int64_t low, int64_t high)
{
	return value >= low && value <= high;
}

/* The guarantee, checked with the row itself. */
static bool is_near(const struct near_bounds *bounds, const struct file_row *row)
{
	const struct cell_range *cells = &bounds->cells;
	struct file_cell cell = cell_of(row);
	struct outline_counts counts = outline_unpack(cell.outline);
	bool has_cell = false;

	for (int64_t i = cells->first[0]; i <= cells->last[0]; i++)
		for (int64_t j = cells->first[1]; j <= cells->last[1]; j++)
			has_cell = has_cell || cell_at(cells, i, j) == cell.cell;
	for (unsigned s = 0; s < SIGNED_SUMS; s++)
		has_cell = has_cell && is_within(cell.signed_sum[s], cells->low[s], cells->high[s]);
	return has_cell && outline_is_near(&cells->near, &counts) &&
	       is_within(row->size_bytes, bounds->size[0], bounds->size[1]) &&
	       is_within(row->keys.key[SIMHASH_UNIFORM], bounds->uniform[0], bounds->uniform[1]) &&
	       is_within(row->keys.key[SIMHASH_SKEW_EXT], bounds->skew_ext[0], bounds->skew_ext[1]);
}

static const struct file_row *row_of(const struct row_key *key)
{
	for (int i = 0; i < ROWS; i++)
		if (memcmp(rows[i].path_hash, key->path_hash, PATH_HASH_SIZE) == 0)
			return &rows[i];
	fail_msg("an entry of no row");
	return NULL;
}

/* The number of entries, which must all be near. */
static int read_near(struct store *store, const struct near_bounds *bounds)
{
	struct cell_entries entries;
	struct cell_entry entry;
	int status, count = 0;

	check(store_entries_begin_near(&entries, store, scope.tag_set, bounds, &error));
	for (; (status = store_entries_next(&entries, &entry, &error)) == 1; count++) {
		const struct file_row *row = row_of(&entry.key);
		assert_int_equal(entry.key.host, scope.host);
		assert_int_equal(entry.size_bytes, row->size_bytes);
		assert_true(is_near(bounds, row));
	}
	check(status);
	store_entries_end(&entries);
	return count;
}

static void entries_near_a_file_are_all_and_no_others(void **state)
{
	struct store *store = store_with_rows();
	int found = 0;

	(void)state;
	for (int i = 0; i < 60; i++) {
		const struct file_row *queried = &rows[i];
		int64_t distance = 1 + random_below(1200), uniform = queried->keys.key[0];
		int64_t size_class = size_class_of(rows[random_below(ROWS)].size_bytes);
		struct near_bounds bounds = {
			.uniform = {uniform - distance, uniform + distance},
			.size = {queried->size_bytes / 2, queried->size_bytes * 2},
			.skew_ext = {i % 3 == 0 ? 300 : INT64_MIN, i % 3 == 0 ? 900 : INT64_MAX},
			.cells = cells_within(size_class, &queried->table, distance)};
		int expected = 0;
		for (int r = 0; r < ROWS; r++)
			expected += is_near(&bounds, &rows[r]);
		assert_int_equal(read_near(store, &bounds), expected);
		found += expected;
	}
	assert_true(found > 1000);
	store_close(store);
}

/* The rows of some keys come once each, in any order. */
static void assert_rows(struct row_cursor *cursor, struct store *store,
			const uint8_t (*hashes)[PATH_HASH_SIZE], int count)
{
	struct file_row row = {.host = 0};
	int status, found = 0;

	check(store_rows_with(cursor, store, ROW_PATH_HASH, &scope, hashes, (size_t)count, &error));
	for (; (status = store_rows_next(cursor, &row, &error)) == 1; found++) {
		int same = 0;
		for (int i = 0; i < count; i++)
			same += memcmp(hashes[i], row.path_hash, PATH_HASH_SIZE) == 0;
		assert_int_equal(same, 1);
	}
	check(status);
	assert_int_equal(found, count);
}

static void a_cursor_reads_the_rows_of_other_keys(void **state)
{
	struct store *store = store_with_rows();
	struct row_cursor cursor = {.columns = 0};
	uint8_t copies[40][PATH_HASH_SIZE];
	const uint8_t(*hashes)[PATH_HASH_SIZE] = (const uint8_t(*)[PATH_HASH_SIZE])copies;
	struct statement *prepared;

	(void)state;
	for (int i = 0; i < 40; i++)
		memcpy(copies[i], rows[i * 7].path_hash, PATH_HASH_SIZE);
	assert_rows(&cursor, store, hashes, 10);
	prepared = cursor.query.statement;
	assert_rows(&cursor, store, hashes + 10, 10);
	assert_rows(&cursor, store, hashes + 30, 3);
	assert_rows(&cursor, store, hashes + 5, 10);
	assert_ptr_equal(cursor.query.statement, prepared);
	assert_rows(&cursor, store, hashes, 11);
	store_rows_end(&cursor);
	store_close(store);
}

/* ---- Rows that pass a test ---- */

struct testing {
	int64_t uniform[2], sizes[2];
	unsigned tested;
};

static bool has_bounds(const struct testing *testing, const struct file_row *row)
{
	return is_within(row->size_bytes, testing->sizes[0], testing->sizes[1]) &&
	       is_within(row->keys.key[SIMHASH_UNIFORM], testing->uniform[0], testing->uniform[1]);
}

/* The sketch shows which row it is; a row without a sketch fails. */
static bool passes(void *context, int64_t size_bytes, int64_t uniform, struct bytes sketch)
{
	struct testing *testing = context;

	testing->tested++;
	assert_true(is_within(size_bytes, testing->sizes[0], testing->sizes[1]) &&
		    is_within(uniform, testing->uniform[0], testing->uniform[1]));
	assert_true(sketch.size == 0 || sketch.size == SIMHASH_RESEMBLANCE_REGISTERS);
	return sketch.size > 0 && (uint8_t)sketch.data[0] % 2 == 0;
}

static unsigned read_tested(struct store *store, struct testing *testing,
			    const struct row_place *place)
{
	struct row_test test = {passes, testing};
	struct tested_keys keys;
	struct row_key key;
	unsigned count = 0;
	int status;

	check(store_tested_begin(&keys, store, scope.tag_set, place, testing->uniform,
				 testing->sizes, &test, &error));
	for (; (status = store_tested_next(&keys, &key, &error)) == 1; count++) {
		const struct file_row *row = row_of(&key);
		assert_int_equal(key.host, scope.host);
		assert_true(has_bounds(testing, row) && row->has_resemblance &&
			    row->resemblance.registers[0] % 2 == 0);
	}
	check(status);
	store_tested_end(&keys);
	return count;
}

static void tested_rows_are_all_and_no_others(void **state)
{
	const struct row_place all = {.first_host = INT64_MIN, .last_host = INT64_MAX};
	struct store *store = store_with_rows();

	(void)state;
	for (int round = 0; round < 20; round++) {
		struct testing testing = {
			{8000 + random_below(1000), 9600 + random_below(1000)},
			{20000 + random_below(20000), 40000 + random_below(30000)},
			0};
		unsigned within = 0, wanted = 0, in_ranges = 0;
		bool are_few;
		for (int i = 0; i < ROWS; i++) {
			bool is_in = has_bounds(&testing, &rows[i]);
			within += is_in;
			wanted += is_in && rows[i].has_resemblance && (i % 255 + 1) % 2 == 0;
		}
		assert_int_equal(read_tested(store, &testing, &all), wanted);
		assert_int_equal(testing.tested, within);
		assert_int_equal(read_tested(store, &testing, NULL), wanted);
		assert_int_equal(testing.tested, 2 * within);
		for (unsigned part = 0; part < 3; part++) {
			const struct row_place place = {.first_host = scope.host,
							.last_host = scope.host,
							.hashes = hash_range_of_part(part, 3)};
			in_ranges += read_tested(store, &testing, &place);
		}
		assert_int_equal(in_ranges, wanted);
		check(store_are_few(store, scope.tag_set, testing.uniform, testing.sizes, within,
				    &are_few, &error));
		assert_true(are_few);
		check(store_are_few(store, scope.tag_set, testing.uniform, testing.sizes,
				    (int64_t)within - 1, &are_few, &error));
		assert_false(are_few);
	}
	store_close(store);
}

static void expect_sized(struct store *store, const int64_t *sizes, size_t count)
{
	unsigned expected = 0, found = 0;
	size_t first = 0;
	struct row_key key;
	struct query query;
	int64_t size;
	int status;

	assert_true(count <= ROWS);
	for (int i = 0; i < ROWS; i++)
		for (size_t k = 0; k < count; k++)
			expected += rows[i].size_bytes == sizes[k];
	while (first < count) {
		check(store_sized_begin(&query, store, scope.tag_set, sizes, count, &first,
					&error));
		while ((status = store_sized_next(&query, &key, &size, &error)) == 1) {
			assert_int_equal(row_of(&key)->size_bytes, size);
			for (size_t k = 0; k < count; k++)
				found += sizes[k] == size;
		}
		check(status);
		query_end(&query);
	}
	assert_int_equal(found, expected);
	assert_true(found >= count);
}

static int compare_sizes(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void rows_of_some_sizes_are_found(void **state)
{
	struct store *store = store_with_rows();
	int64_t sizes[ROWS];
	size_t count = 0;

	(void)state;
	for (int i = 0; i < ROWS; i++)
		sizes[i] = rows[i].size_bytes;
	qsort(sizes, ROWS, sizeof *sizes, compare_sizes);
	for (int i = 0; i < ROWS; i++)
		if (i == 0 || sizes[i] != sizes[count - 1])
			sizes[count++] = sizes[i];
	expect_sized(store, sizes, 1);
	expect_sized(store, sizes, 256);
	expect_sized(store, sizes + 100, 400);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_near_a_file_are_all_and_no_others),
		cmocka_unit_test(a_cursor_reads_the_rows_of_other_keys),
		cmocka_unit_test(tested_rows_are_all_and_no_others),
		cmocka_unit_test(rows_of_some_sizes_are_found),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Tests resemblance sketches in rows on each engine.
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

#include "engine.h"
#include "store/open/connection.h"
#include "store/open/store.h"
#include "store/rows/known_file.h"
#include "store/rows/row_reader.h"
#include "store/rows/totals.h"
#include "store/write/batch.h"
#include "store/write/sketch_table.h"

#define ROWS 2500 /* more than one statement takes, and not a multiple of that */
#define MEASURE 5

static struct simhash_error error;
static const struct row_scope scope = {1, 1};
static struct file_row rows[ROWS];

static void check(int status)
{
	if (status != 0)
		fail_msg("%s", error.message);
}

/*
 * The sketch of row `number`: row 0 has none, row 1 an empty one, and the pattern repeats after
 * three.
 */
static void give_sketch(struct file_row *row, int number)
{
	row->has_resemblance = number % 3 != 0;
	memset(&row->resemblance, 0, sizeof row->resemblance);
	for (int i = 0; number % 3 == 2 && i < SIMHASH_RESEMBLANCE_REGISTERS; i++)
		row->resemblance.registers[i] = (uint8_t)(number / 3 + i);
}

static struct store *store_of_rows(void)
{
	static char names[ROWS][8];
	static const struct file_row *pointers[ROWS];
	static const int64_t measure = MEASURE;
	const struct store_batch batch = {.rows = pointers, .row_count = ROWS};
	struct store *store = engine_fresh_store();
	int64_t removed;

	store_want_measures(store, &measure, 1);
	for (int i = 0; i < ROWS; i++) {
		struct row_sketches *sketches = row_sketches_new(3);
		snprintf(names[i], sizeof names[i], "%d", i);
		rows[i] = engine_row("/d", names[i], (uint64_t)i);
		give_sketch(&rows[i], i);
		memcpy(sketches->bytes, "abc", 3);
		sketches->count = 1;
		sketches->sketch[0] = (struct row_sketch){7, i, {(char *)sketches->bytes, 3}};
		rows[i].sketches = sketches;
		pointers[i] = &rows[i];
	}
	check(store_write(store, &scope, &batch, &removed, &error));
	for (int i = 0; i < ROWS; i++)
		row_sketches_drop(rows[i].sketches);
	return store;
}

static void expect_sketch(const struct file_row *found, bool is_read)
{
	struct file_row expected = {.host = 0};

	give_sketch(&expected, atoi(found->name.data));
	assert_int_equal(found->has_resemblance, is_read && expected.has_resemblance);
	if (found->has_resemblance)
		assert_memory_equal(&found->resemblance, &expected.resemblance,
				    sizeof expected.resemblance);
}

static void expect_rows(struct row_cursor *cursor, bool is_read, bool is_sketched)
{
	struct file_row row = {.host = 0};
	struct row_sketch sketch;
	int status, count = 0;

	while ((status = store_rows_next(cursor, &row, &error)) == 1) {
		expect_sketch(&row, is_read);
		if (is_sketched) {
			check(store_sketch_of(cursor, 3, &sketch, &error));
			assert_int_equal(sketch.cluster, atoi(row.name.data));
		}
		count++;
	}
	check(status);
	assert_int_equal(count, ROWS);
	store_rows_end(cursor);
}

static void streams_have_sketches_where_asked_for(void **state)
{
	struct store *store = store_of_rows();
	struct row_cursor cursor;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct row_filter filter = {.columns = ROW_NAME |
							     (i == 1 ? ROW_RESEMBLANCE : 0),
						  .tag_set = 1,
						  .key = SIMHASH_UNIFORM,
						  .low = INT64_MIN,
						  .high = INT64_MAX};
		const int64_t sizes[2] = {INT64_MIN, INT64_MAX};
		check(store_rows_in_order(&cursor, store, &filter, &error));
		expect_rows(&cursor, i == 1, false);
		check(store_rows_lying(&cursor, store, &filter, NULL, &error));
		expect_rows(&cursor, i == 1, false);
		check(store_rows_reaching(&cursor, store, &filter, 0, 1, 1, &error));
		expect_rows(&cursor, i == 1, false);
		check(store_rows_near(&cursor, store, &filter, sizes, &error));
		expect_rows(&cursor, i == 1, false);
		check(store_rows_sketched(&cursor, store, &filter, MEASURE, &error));
		expect_rows(&cursor, i == 1, true);
	}
	store_close(store);
}

static void whole_rows_and_counts_have_them(void **state)
{
	struct store *store = store_of_rows();
	struct file_row row = {.host = scope.host};
	struct row_cursor cursor;
	struct scope_total *totals;
	int64_t lacking;
	size_t count;

	(void)state;
	check(store_rows_after(&cursor, store, ROW_WHOLE, &scope, NULL, NULL, INT64_MAX, &error));
	for (count = 0; store_rows_next(&cursor, &row, &error) == 1; count++)
		expect_sketch(&row, true);
	store_rows_end(&cursor);
	assert_int_equal(count, ROWS);
	check(store_count_without_resemblance(store, 1, &lacking, &error));
	assert_int_equal(lacking, (ROWS + 2) / 3);
	check(store_count_without_resemblance(store, 2, &lacking, &error));
	assert_int_equal(lacking, 0);
	check(store_read_totals(store, &totals, &count, &error));
	assert_int_equal(totals[0].resemblances, ROWS - (ROWS + 2) / 3);
	free(totals);
	store_close(store);
}

static void a_known_file_tells_whether_it_has_one(void **state)
{
	struct store *store = store_of_rows();
	struct known_file known;
	bool found;

	(void)state;
	for (int i = 0; i < 30; i++) {
		check(store_find_file(store, &scope, rows[i].path_hash, &known, &found, &error));
		assert_true(found);
		assert_int_equal(known.lacks_resemblance, i % 3 == 0);
		assert_false(known.lacks_sketches);
	}
	store_close(store);
}

static void a_value_of_another_size_is_an_error(void **state)
{
	const struct row_filter filter = {.columns = ROW_DIRECTORY | ROW_NAME | ROW_RESEMBLANCE,
					  .tag_set = 1};
	struct store *store = store_of_rows();
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int status = 1;

	(void)state;
	check(store->driver->execute(store->database,
				     "UPDATE file SET resemblance_sketch = X'00ff'", &error));
	check(store_rows_lying(&cursor, store, &filter, NULL, &error));
	while (status == 1)
		status = store_rows_next(&cursor, &row, &error);
	assert_int_equal(status, -1);
	assert_non_null(strstr(error.message, "table file: the resemblance sketch of /d/"));
	assert_non_null(strstr(error.message, "scan it again with simhash --force"));
	store_rows_end(&cursor);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_have_sketches_where_asked_for),
		cmocka_unit_test(whole_rows_and_counts_have_them),
		cmocka_unit_test(a_known_file_tells_whether_it_has_one),
		cmocka_unit_test(a_value_of_another_size_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Compares the sorter of records with qsort, in memory and with a temporary file when memory is
 * small.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/sort/runs.h"

#define RECORDS 3000
#define LARGE 700000 /* more than is written or read at once */

struct record {
	uint32_t size, unused;
	uint64_t key, text;
};

static struct simhash_error error;

static size_t size_of(const void *head)
{
	const struct record *record = head;

	return record->size;
}

static int compare(const void *x, const void *y, const void *context)
{
	const struct record *a = x, *b = y;

	(void)context;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->text != b->text ? (a->text < b->text ? -1 : 1)
				  : (a->size > b->size) - (a->size < b->size);
}

static int compare_pointers(const void *x, const void *y)
{
	return compare(*(struct record *const *)x, *(struct record *const *)y, NULL);
}

static bool comes_before(const void *x, const void *y, const void *context)
{
	const struct run_reader *a = x, *b = y;

	return compare(a->record, b->record, context) < 0;
}

static int step(struct run_reader *reader, struct simhash_error *filled)
{
	return run_reader_step(reader, sizeof(struct record), size_of, filled);
}

/* ---- Records ---- */

static struct record *records[RECORDS];

static int make_records(void **state)
{
	uint64_t random = 7;

	(void)state;
	for (size_t i = 0; i < RECORDS; i++) {
		size_t size;
		random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
		size = i == 1000 ? LARGE : sizeof(struct record) + (random >> 40) % 20 * 8;
		records[i] = malloc(size);
		if (records[i] == NULL)
			return -1;
		memset(records[i], (int)i, size);
		*records[i] = (struct record){
			.size = (uint32_t)size, .key = random >> 60, .text = random};
	}
	return 0;
}

static int free_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < RECORDS; i++)
		free(records[i]);
	return 0;
}

static int add(struct runs *runs, const struct record *record)
{
	void *room = runs_room(runs, record->size, &error);

	if (room == NULL)
		return -1;
	memcpy(room, record, record->size);
	runs_add(runs, record->key, record->size);
	return 0;
}

/* All records come once and in order. */
static void check(const struct runs *runs, size_t count, size_t buffer_bytes)
{
	struct record *sorted[RECORDS];
	struct run_cursor cursor;

	memcpy(sorted, records, sizeof sorted);
	qsort(sorted, count, sizeof *sorted, compare_pointers);
	assert_int_equal(run_cursor_open(&cursor, runs, buffer_bytes, &error), 0);
	assert_int_equal(run_cursor_start(&cursor, step, comes_before, NULL, &error), 0);
	for (size_t i = 0; i < count; i++) {
		const struct record *record;
		assert_int_equal(run_cursor_next(&cursor, step, comes_before, NULL, &error), 1);
		record = run_cursor_first(&cursor)->record;
		assert_int_equal((uintptr_t)record % 8, 0);
		assert_int_equal(record->size, sorted[i]->size);
		assert_int_equal(compare(record, sorted[i], NULL), 0);
		assert_int_equal(((const char *)record)[record->size - 1],
				 ((const char *)sorted[i])[record->size - 1]);
	}
	assert_int_equal(run_cursor_next(&cursor, step, comes_before, NULL, &error), 0);
	assert_int_equal(run_cursor_next(&cursor, step, comes_before, NULL, &error), 0);
	run_cursor_close(&cursor);
}

/* ---- Tests ---- */

static void records_come_in_order_with_any_memory(void **state)
{
	static const size_t budgets[] = {8 << 20, 100000, 100, 1};

	(void)state;
	for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++)
		for (size_t count = 0; count <= RECORDS; count = count * 5 + 1) {
			struct runs runs = {
				.budget = budgets[b], .size_of = size_of, .compare = compare};
			for (size_t i = 0; i < count; i++)
				assert_int_equal(add(&runs, records[i]), 0);
			assert_int_equal(runs_end(&runs, &error), 0);
			if (b != 1)
				assert_int_equal(runs.spilled == 0, b == 0 || count <= 1);
			check(&runs, count, budgets[b]); /* the last run is in memory */
			assert_int_equal(runs_spill(&runs, &error), 0);
			assert_null(runs.bytes);
			check(&runs, count, budgets[b]);
			check(&runs, count, 1 << 20); /* a second time */
			runs_release(&runs);
		}
}

/* A cursor that stopped in the middle does not affect a new one. */
static void cursors_do_not_disturb_each_other(void **state)
{
	struct runs runs = {.budget = 20000, .size_of = size_of, .compare = compare};
	struct run_cursor cursor;
	uint64_t last = 0;

	(void)state;
	for (size_t i = 0; i < RECORDS; i++)
		assert_int_equal(add(&runs, records[i]), 0);
	assert_int_equal(runs_end(&runs, &error), 0);
	assert_int_equal(run_cursor_open(&cursor, &runs, 20000, &error), 0);
	assert_int_equal(run_cursor_start(&cursor, step, comes_before, NULL, &error), 0);
	for (size_t i = 0; i < RECORDS; i++) {
		const struct record *record;
		assert_int_equal(run_cursor_next(&cursor, step, comes_before, NULL, &error), 1);
		record = run_cursor_first(&cursor)->record;
		assert_true(record->key >= last);
		last = record->key;
		if (i == RECORDS / 2)
			check(&runs, RECORDS, 20000);
	}
	run_cursor_close(&cursor);
	runs_release(&runs);
}

/* Each record is a run that the caller has sorted. There are more runs than memory for buffers. */
static void many_runs_are_merged_at_once(void **state)
{
	struct runs runs = {.size_of = size_of};

	(void)state;
	for (size_t i = 0; i < RECORDS; i++) {
		assert_int_equal(runs_put(&runs, records[i], records[i]->size, &error), 0);
		assert_int_equal(runs_end_put(&runs, &error), 0);
	}
	assert_int_equal(runs_count(&runs), RECORDS);
	check(&runs, RECORDS, 4096);
	runs_release(&runs);
}

struct noted {
	size_t runs;
	off_t end;
};

static int note(void *context, const void *record, size_t number, off_t end,
		struct simhash_error *filled)
{
	struct noted *noted = context;

	(void)filled;
	noted->runs += number == 0;
	noted->end += (off_t)size_of(record);
	assert_true(end == noted->end);
	return 0;
}

static void the_ends_of_records_are_noted(void **state)
{
	struct noted noted = {.runs = 0};
	struct runs runs = {.budget = 20000,
			    .size_of = size_of,
			    .compare = compare,
			    .note = note,
			    .context = &noted};

	(void)state;
	for (size_t i = 0; i < RECORDS; i++)
		assert_int_equal(add(&runs, records[i]), 0);
	assert_int_equal(runs_end(&runs, &error), 0);
	assert_int_equal(runs_spill(&runs, &error), 0);
	assert_int_equal(noted.runs, runs_count(&runs));
	assert_true(noted.end == runs.end);
	runs_release(&runs);
}

static int add_until_it_fails(struct runs *runs)
{
	int status = 0;

	*runs = (struct runs){.budget = 2000, .size_of = size_of, .compare = compare};
	error = (struct simhash_error){.code = 0};
	for (size_t i = 0; status == 0 && i < RECORDS; i++)
		status = add(runs, records[i]);
	runs_release(runs);
	return status;
}

static void a_folder_that_is_missing_is_named(void **state)
{
	struct runs runs;

	(void)state;
	setenv("TMPDIR", "/no/such/folder", 1);
	assert_int_equal(add_until_it_fails(&runs), -1);
	assert_non_null(strstr(error.message, "/no/such/folder"));
	unsetenv("TMPDIR");
}

/* Simulates a full disk. */
static void a_file_that_cannot_grow_is_named(void **state)
{
	struct rlimit before, limit;
	struct runs runs;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = before;
	limit.rlim_cur = 30000;
	signal(SIGXFSZ, SIG_IGN);
	setenv("TMPDIR", "/tmp/.", 1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_int_equal(add_until_it_fails(&runs), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_non_null(strstr(error.message, "cannot write a temporary file in /tmp/. "));
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_come_in_order_with_any_memory),
		cmocka_unit_test(cursors_do_not_disturb_each_other),
		cmocka_unit_test(many_runs_are_merged_at_once),
		cmocka_unit_test(the_ends_of_records_are_noted),
		cmocka_unit_test(a_folder_that_is_missing_is_named),
		cmocka_unit_test(a_file_that_cannot_grow_is_named),
	};

	return cmocka_run_group_tests(tests, make_records, free_records);
}

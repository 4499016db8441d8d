/*
 * What turns.h and store_write_in_turn promise, on a server: the order of commits, what follows a
 * failure, and that two transactions that wait for each other both end.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/threads/threads.h"
#include "engine.h"
#include "store/open/connection.h"
#include "store/open/store.h"
#include "store/open/turns.h"
#include "store/rows/known_file.h"
#include "store/write/batch.h"

static const struct row_scope scope = {1, 1};

static void check(int status, const struct simhash_error *error)
{
	if (status != 0)
		fail_msg("%s", error->message);
}

/* A batch of one row, written on a connection and in a thread of its own. */
struct side {
	struct store *store;
	struct turns *turns;
	uint64_t number;
	struct file_row row;
	struct simhash_error error;
	struct thread_group thread;
	int status;
};

static void *write_row(void *context)
{
	struct side *side = context;
	const struct file_row *pointers[] = {&side->row};
	struct store_batch batch = {.rows = pointers, .row_count = 1};
	int64_t removed;

	side->status = store_write_in_turn(side->store, &scope, &batch, side->turns, side->number,
					   &removed, &side->error);
	return NULL;
}

static void begin_side(struct side *side, struct turns *turns, uint64_t number, uint64_t seed)
{
	*side = (struct side){
		.store = engine_open_store(OPEN_TO_WRITE), .turns = turns, .number = number};
	side->row = engine_row("/d", "name", seed);
	side->row.size_bytes = (int64_t)seed;
	assert_int_equal(threads_start(&side->thread, 1, write_row, side, 0), 1);
}

static void end_side(struct side *side)
{
	threads_join(&side->thread);
	store_close(side->store);
}

static bool find(struct store *store, int64_t *size_bytes)
{
	struct file_row row = engine_row("/d", "name", 1);
	struct simhash_error error;
	struct known_file known;
	bool is_there;

	check(store_find_file(store, &scope, row.path_hash, &known, &is_there, &error), &error);
	if (is_there)
		*size_bytes = known.size_bytes;
	return is_there;
}

/* A connection that also sees what is not committed. */
static struct store *open_to_spy(void)
{
	struct store *store = engine_open_store(OPEN_TO_READ);
	struct simhash_error error;

	check(store->driver->execute(store->database,
				     "SET SESSION TRANSACTION ISOLATION LEVEL READ UNCOMMITTED",
				     &error),
	      &error);
	return store;
}

/* Start number 1, and wait until it has written its row. */
static void begin_second_first(struct side *second, struct turns *turns)
{
	struct store *spy = open_to_spy();
	int64_t size_bytes;

	begin_side(second, turns, 1, 200);
	while (!find(spy, &size_bytes))
		clock_sleep_ns(NS_PER_MS);
	store_close(spy);
}

static void a_later_one_is_committed_later(void **state)
{
	struct store *store = engine_fresh_store();
	struct file_row row = engine_row("/d", "other", 1);
	const struct file_row *pointers[] = {&row};
	struct store_batch batch = {.rows = pointers, .row_count = 1};
	struct simhash_error error;
	struct turns turns;
	struct side second;
	int64_t size_bytes, removed;

	(void)state;
	turns_init(&turns, INT64_C(600) * NS_PER_S);
	begin_second_first(&second, &turns);
	assert_false(find(store, &size_bytes));
	check(store_write_in_turn(store, &scope, &batch, &turns, 0, &removed, &error), &error);
	end_side(&second);
	check(second.status, &second.error);
	assert_true(find(store, &size_bytes));
	assert_int_equal(size_bytes, 200);
	turns_release(&turns);
	store_close(store);
}

/* The first waits for the row of the second, which waits for the first to be committed. */
static void a_later_one_gives_way(void **state)
{
	struct store *store = engine_fresh_store();
	struct turns turns;
	struct side first, second;
	int64_t size_bytes;

	(void)state;
	turns_init(&turns, 100 * NS_PER_MS);
	begin_second_first(&second, &turns);
	begin_side(&first, &turns, 0, 100);
	end_side(&first);
	end_side(&second);
	check(first.status, &first.error);
	check(second.status, &second.error);
	assert_true(find(store, &size_bytes));
	assert_int_equal(size_bytes, 200);
	turns_release(&turns);
	store_close(store);
}

static void after_a_failure_none_is_committed(void **state)
{
	struct store *store = engine_fresh_store();
	char too_long[2000] = {0};
	struct file_row row = engine_row("/d", "other", 1);
	const struct file_row *pointers[] = {&row};
	struct store_batch batch = {.rows = pointers, .row_count = 1};
	struct simhash_error error;
	struct turns turns;
	struct side second;
	int64_t size_bytes, removed;

	(void)state;
	row.name = (struct bytes){too_long, sizeof too_long};
	turns_init(&turns, INT64_C(600) * NS_PER_S);
	begin_second_first(&second, &turns);
	assert_int_equal(store_write_in_turn(store, &scope, &batch, &turns, 0, &removed, &error),
			 -1);
	assert_int_equal(error.code, SIMHASH_E_DATABASE);
	end_side(&second);
	assert_int_equal(second.status, -1);
	assert_int_equal(second.error.code, ERROR_STOPPED);
	assert_false(find(store, &size_bytes));
	turns_release(&turns);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_later_one_is_committed_later),
		cmocka_unit_test(a_later_one_gives_way),
		cmocka_unit_test(after_a_failure_none_is_committed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

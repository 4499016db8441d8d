/*
 * Tests views of several connections: all show the same moment, no matter what is committed
 * meanwhile.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/basic/clock.h"
#include "base/threads/threads.h"
#include "engine.h"
#include "store/open/query.h"
#include "store/open/store.h"
#include "store/open/view.h"
#include "store/write/batch.h"

#define STORES 4
#define FILES 3
#define VIEWS (IS_SLOW ? 20 : 100)

static const struct row_scope scope = {1, 1};

static void check(int status, const struct simhash_error *error)
{
	if (status != 0)
		fail_msg("%s", error->message);
}

/* In one transaction, all files get this size. */
static void write_sizes(struct store *store, int64_t size_bytes)
{
	static const char *const names[FILES] = {"a", "b", "c"};
	struct file_row rows[FILES];
	const struct file_row *pointers[FILES];
	struct store_batch batch = {.rows = pointers, .row_count = FILES};
	struct simhash_error error;
	int64_t removed;

	for (size_t i = 0; i < FILES; i++) {
		rows[i] = engine_row("/d", names[i], 1);
		rows[i].size_bytes = size_bytes;
		pointers[i] = &rows[i];
	}
	check(store_write(store, &scope, &batch, &removed, &error), &error);
}

static int64_t read_sizes(struct store *store)
{
	struct simhash_error error;
	int64_t size;

	check(store_read_integer(store, "SELECT CAST(SUM(size) AS SIGNED) FROM file", NULL, 0,
				 &size, &error),
	      &error);
	assert_int_equal(size % FILES, 0);
	return size / FILES;
}

static void open_stores(struct store **stores)
{
	stores[0] = engine_open_store(OPEN_TO_READ);
	for (unsigned i = 1; i < STORES; i++) {
		store_open_another(stores[0], &stores[i]);
		assert_non_null(stores[i]);
	}
}

static void close_stores(struct store **stores)
{
	for (unsigned i = 0; i < STORES; i++)
		store_close(stores[i]);
}

struct writing {
	struct store *store;
	atomic_bool is_over;
};

static void *write_on(void *context)
{
	struct writing *writing = context;

	for (int64_t size = 2; !atomic_load(&writing->is_over); size++) {
		write_sizes(writing->store, size);
		clock_sleep_ns(NS_PER_MS);
	}
	return NULL;
}

static void views_show_one_moment_while_others_write(void **state)
{
	struct writing writing = {.store = engine_fresh_store()};
	struct store *stores[STORES];
	struct thread_group thread;
	unsigned shared = 0;

	(void)state;
	write_sizes(writing.store, 1);
	open_stores(stores);
	assert_int_equal(threads_start(&thread, 1, write_on, &writing, 0), 1);
	for (unsigned view = 0; view < VIEWS; view++) {
		int64_t first;
		if (!store_share_view(stores, STORES))
			continue;
		shared++;
		first = read_sizes(stores[0]);
		for (unsigned i = STORES; i-- > 1;)
			assert_int_equal(read_sizes(stores[i]), first);
		for (unsigned i = 0; i < STORES; i++)
			store_end_view(stores[i]);
	}
	atomic_store(&writing.is_over, true);
	threads_join(&thread);
	/* Nobody writes any more. */
	assert_true(store_share_view(stores, STORES));
	print_message("%u of %u views are shared\n", shared, VIEWS);
	close_stores(stores);
	store_close(writing.store);
}

static void a_view_stays_while_others_write(void **state)
{
	struct store *writer = engine_fresh_store(), *stores[STORES];

	(void)state;
	write_sizes(writer, 7);
	open_stores(stores);
	assert_true(store_share_view(stores, STORES));
	write_sizes(writer, 8);
	for (unsigned i = 0; i < STORES; i++) {
		assert_int_equal(read_sizes(stores[i]), 7);
		store_end_view(stores[i]);
		assert_int_equal(read_sizes(stores[i]), 8);
	}
	close_stores(stores);
	store_close(writer);
}

static int64_t state_of(struct store *store)
{
	struct simhash_error error;
	int64_t state;

	check(store_read_integer(store, store->driver->state, NULL, 0, &state, &error), &error);
	return state;
}

static void each_transaction_that_writes_changes_the_state(void **state)
{
	struct store *writers[] = {engine_fresh_store(), engine_open_store(OPEN_TO_WRITE)};
	struct store *reader = engine_open_store(OPEN_TO_READ);

	(void)state;
	for (int i = 0; i < 6; i++) {
		int64_t before = state_of(reader);
		assert_int_equal(state_of(reader), before);
		write_sizes(writers[i % 2], i);
		assert_int_not_equal(state_of(reader), before);
	}
	store_close(reader);
	store_close(writers[0]);
	store_close(writers[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(views_show_one_moment_while_others_write),
		cmocka_unit_test(a_view_stays_while_others_write),
		cmocka_unit_test(each_transaction_that_writes_changes_the_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

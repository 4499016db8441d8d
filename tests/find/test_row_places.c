/*
 * Tests that readers of row places read every row once, even if some lose their connections, and
 * that each reads about the same number of rows, no matter how close together the rows are.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "find/rows/row_places.h"
#include "random.h"

#define ROWS 100000
#define HOST 5

static struct simhash_error error;
static uint8_t hashes[ROWS][PATH_HASH_SIZE];
static unsigned times_read[ROWS];

static void check(int status)
{
	if (status != 0)
		fail_msg("%s", error.message);
}

static int compare_hashes(const void *a, const void *b)
{
	return memcmp(a, b, PATH_HASH_SIZE);
}

/* Hashes with the same first `shared` bytes, except for every hundredth. */
static void make_rows(size_t shared)
{
	random_seed(shared + 1);
	for (size_t i = 0; i < ROWS; i++) {
		for (size_t j = 0; j < PATH_HASH_SIZE; j++)
			hashes[i][j] = j < shared && i % 100 != 0 ? 0x5a : (uint8_t)next_random();
		times_read[i] = 0;
	}
	memset(hashes[0], 0x00, PATH_HASH_SIZE);
	memset(hashes[1], 0xff, PATH_HASH_SIZE);
	qsort(hashes, ROWS, sizeof *hashes, compare_hashes);
}

static bool is_in(const struct row_place *place, size_t row)
{
	return memcmp(hashes[row], place->hashes.low, PATH_HASH_SIZE) >= 0 &&
	       memcmp(hashes[row], place->hashes.high, PATH_HASH_SIZE) <= 0;
}

static size_t first_row(const uint8_t low[PATH_HASH_SIZE])
{
	size_t begin = 0, end = ROWS;

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;
		if (memcmp(hashes[middle], low, PATH_HASH_SIZE) < 0)
			begin = middle + 1;
		else
			end = middle;
	}
	return begin;
}

/* The rows of a place. The connection is lost after `most` rows. */
static struct read_rows read_place(const struct row_place *place, int64_t most)
{
	struct read_rows read = {.count = 0};

	if (place->first_host != HOST || place->last_host != HOST)
		return read;
	if (most > place->most)
		most = place->most;
	for (size_t i = first_row(place->hashes.low); i < ROWS && is_in(place, i); i++) {
		if (read.count == most)
			break;
		memcpy(read.last, hashes[i], PATH_HASH_SIZE);
		if (read.count++ == 0)
			memcpy(read.first, hashes[i], PATH_HASH_SIZE);
		times_read[i]++;
	}
	return read;
}

static void begin_places(struct row_places *places, unsigned threads)
{
	static struct name one = {.id = HOST};
	const struct name_list hosts = {.names = &one, .count = 1};

	check(row_places_cut(places, &hosts, threads, &error));
}

/* The readers take turns, and sometimes one stops in the middle. */
static size_t read_all(unsigned threads, unsigned one_fails_of)
{
	struct row_places places;
	struct row_place place;
	size_t statements = 0;

	random_seed(threads);
	begin_places(&places, threads);
	while (places.count > 0 && row_places_take(&places, &place)) {
		bool fails = one_fails_of > 0 && next_random() % one_fails_of == 0;
		int64_t most = fails ? (int64_t)(next_random() % 20000) : INT64_MAX;
		struct read_rows read = read_place(&place, most);
		check(fails ? row_places_give_up(&places, &place, &read, &error)
			    : row_places_end(&places, &place, &read, &error));
		statements++;
	}
	row_places_release(&places);
	return statements;
}

static void every_row_is_read_once(void **state)
{
	(void)state;
	for (size_t shared = 0; shared <= 10; shared += 5)
		for (unsigned threads = 2; threads <= 8; threads *= 2)
			for (unsigned one_fails_of = 0; one_fails_of <= 8; one_fails_of += 4) {
				size_t statements;
				make_rows(shared);
				statements = read_all(threads, one_fails_of);
				for (size_t i = 0; i < ROWS; i++)
					assert_int_equal(times_read[i], 1);
				assert_true(statements < 300);
			}
}

/* Because the readers take turns, each gets the places that it would get if all ran at once. */
static void readers_have_even_work(void **state)
{
	(void)state;
	for (size_t shared = 0; shared <= 8; shared += 8) {
		struct row_places places;
		struct row_place place;
		int64_t rows[4] = {0};
		make_rows(shared);
		begin_places(&places, 4);
		while (places.count > 0) {
			unsigned least = 0;
			struct read_rows read;
			for (unsigned i = 1; i < 4; i++)
				least = rows[i] < rows[least] ? i : least;
			assert_true(row_places_take(&places, &place));
			read = read_place(&place, INT64_MAX);
			rows[least] += read.count;
			check(row_places_end(&places, &place, &read, &error));
		}
		row_places_release(&places);
		for (unsigned i = 0; i < 4; i++)
			assert_in_range(rows[i], ROWS / 6, ROWS / 3);
	}
}

static void rows_of_several_hosts_are_not_resumed(void **state)
{
	struct read_rows none = {.count = 0}, one = {.count = 1};
	struct row_places places;
	struct row_place place;

	(void)state;
	check(row_places_all(&places, &error));
	assert_true(row_places_take(&places, &place));
	assert_true(place.first_host == INT64_MIN && place.last_host == INT64_MAX);
	check(row_places_give_up(&places, &place, &none, &error));
	assert_true(row_places_take(&places, &place));
	assert_int_equal(row_places_give_up(&places, &place, &one, &error), -1);
	assert_false(row_places_take(&places, &place));
	row_places_release(&places);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_read_once),
		cmocka_unit_test(readers_have_even_work),
		cmocka_unit_test(rows_of_several_hosts_are_not_resumed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

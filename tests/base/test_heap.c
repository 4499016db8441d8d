/*
 * Compares the heap with a simple search for the smallest number, for runs of numbers with many
 * equal ones.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/data/heap.h"

enum { RUNS_MAX = 40, RUN_MAX = 30 };

struct run {
	int numbers[RUN_MAX];
	size_t at, count;
};

/* Runs of rising numbers, or of falling numbers if `falls` is set; some are empty. */
struct runs {
	struct run runs[RUNS_MAX];
	size_t count;
	bool falls;
};

static unsigned random_below(uint64_t *state, unsigned bound)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(*state >> 33) % bound;
}

static bool comes_before(const void *a, const void *b, const void *context)
{
	const struct run *x = a, *y = b;
	const struct runs *runs = context;

	assert_true(x->at < x->count && y->at < y->count);
	return runs->falls ? x->numbers[x->at] > y->numbers[y->at]
			   : x->numbers[x->at] < y->numbers[y->at];
}

static void make_runs(struct runs *runs, size_t count, bool falls, uint64_t *state)
{
	*runs = (struct runs){.count = count, .falls = falls};
	for (size_t i = 0; i < count; i++) {
		struct run *run = &runs->runs[i];
		int number = 0;
		run->count = random_below(state, RUN_MAX + 1);
		for (size_t j = 0; j < run->count; j++) {
			number += (int)random_below(state, 3);
			run->numbers[j] = falls ? -number : number;
		}
	}
}

/* Find the first of the current numbers of all runs. False if there is none. */
static bool find_first(const struct runs *runs, int *first)
{
	bool is_found = false;

	for (size_t i = 0; i < runs->count; i++) {
		const struct run *run = &runs->runs[i];
		int number;
		if (run->at == run->count)
			continue;
		number = run->numbers[run->at];
		if (!is_found || (runs->falls ? number > *first : number < *first))
			*first = number;
		is_found = true;
	}
	return is_found;
}

static void merge(struct runs *runs)
{
	void *items[RUNS_MAX];
	struct heap heap = {.items = items};
	int wanted;

	for (size_t i = 0; i < runs->count; i++)
		if (runs->runs[i].count > 0)
			heap.items[heap.count++] = &runs->runs[i];
	heap_make(&heap, comes_before, runs);
	while (find_first(runs, &wanted)) {
		struct run *run;
		assert_true(heap.count > 0);
		run = heap.items[0];
		assert_int_equal(run->numbers[run->at], wanted);
		if (++run->at < run->count)
			heap_settle_first(&heap, comes_before, runs);
		else
			heap_remove_first(&heap, comes_before, runs);
	}
	assert_int_equal(heap.count, 0);
}

static void runs_are_merged_in_order(void **state)
{
	uint64_t random = 5;
	struct runs runs;

	(void)state;
	for (int round = 0; round < 20; round++)
		for (size_t count = 0; count <= RUNS_MAX; count++) {
			make_runs(&runs, count, round % 2 == 1, &random);
			merge(&runs);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_merged_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

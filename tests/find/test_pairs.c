/*
 * A list of pairs finds its files as fast when their path hashes, as an index has them, were made to
 * collide in what the list hashed by before it was seeded. Runs of used slots are counted.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "find/pairs.h"

#define FILES 20000u
#define STEPS_MAX ((uint64_t)200 * FILES) /* colliding, the square of FILES */

static uint64_t steps_through(const struct pair_list *list)
{
	uint64_t run = 0, steps = 0;

	for (size_t i = 0; i < list->slot_count; i++) {
		if (list->slots[i].file != NULL) {
			run++;
			continue;
		}
		steps += run * run;
		run = 0;
	}
	return steps + run * run;
}

static void list_of_paths_that_were_made_to_collide_has_short_runs(void **state)
{
	struct find_file files[2] = {{.display = "/a", .display_size = 2, .host = 1},
				     {.display = "/b", .display_size = 2, .host = 1}};
	struct file_pair pair = {.a = &files[0], .b = &files[1]};
	struct simhash_error error;
	struct pair_list list;

	(void)state;
	pair_list_init(&list);
	for (uint64_t i = 0; i < FILES; i++) {
		uint64_t half = i << 49;
		memcpy(files[i % 2].path_hash + 8, &half, sizeof half);
		assert_int_equal(pair_list_append(&list, &pair, &error), 0);
	}
	assert_int_equal(list.file_count, FILES);
	assert_true(steps_through(&list) < STEPS_MAX);
	pair_list_release(&list);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_of_paths_that_were_made_to_collide_has_short_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

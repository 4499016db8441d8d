/*
 * Tests that a list of pairs is not slow for path hashes that were made to collide in the hash that
 * the list used before it was seeded. It counts runs of used slots.
 *
 * Also tests that logs that were divided into parts contain every pair unchanged and once, and that
 * no files of two parts are a pair or have the same content.
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

#include "find/groups/pair_parts.h"

#define FILES 20000u
#define STEPS_MAX ((uint64_t)200 * FILES) /* collisions would take the square of FILES */

static uint64_t steps_through(const struct pair_list *list)
{
	uint64_t run = 0, steps = 0;

	for (size_t i = 0; i < list->slots.count; i++) {
		if (list->slots.items[i].number != NO_ITEM) {
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

/* ---- Parts ---- */

#define CHAINS 3000u /* a chain has several files; sometimes two chains share a content */
#define CHAIN_MAX 5u
#define NUMBERS (CHAINS * CHAIN_MAX)
#define LOGS 3u

static uint32_t chain_content(uint32_t chain)
{
	return chain % 100 == 99 ? chain - 1 : chain;
}

/* Make a file of a chain; its name contains its number. */
static void make_file(uint32_t chain, uint32_t at, struct find_file *file, char *name)
{
	uint32_t number = chain * CHAIN_MAX + at;
	uint64_t content = at == 0 ? chain_content(chain) : NUMBERS + number;

	memset(file, 0, sizeof *file);
	file->display = name;
	file->display_size = (uint32_t)sprintf(name, "/%u", number);
	file->host = 1 + chain % 2;
	file->size_bytes = number;
	file->has_sketch = number % 3 > 0;
	file->sketch.registers[0] = file->has_sketch ? (uint8_t)number : 0;
	content *= UINT64_C(0x9e3779b97f4a7c15);
	memcpy(file->content_hash, &content, sizeof content);
	memcpy(file->path_hash, &number, sizeof number);
}

static void log_chains(struct pair_log *logs, size_t budget)
{
	struct find_file files[2];
	char names[2][16];
	struct simhash_error error;

	for (unsigned l = 0; l < LOGS; l++)
		logs[l] = (struct pair_log){.budget = budget};
	for (uint32_t at = 1; at < CHAIN_MAX; at++)
		for (uint32_t chain = 0; chain < CHAINS; chain++) {
			const struct file_pair pair = {.a = &files[0],
						       .b = &files[1],
						       .relation = {.distance = chain,
								    .resemblance = 1.0 / (1 + at),
								    .verification = PAIR_SKETCH}};
			make_file(chain, at - 1, &files[0], names[0]);
			make_file(chain, at, &files[1], names[1]);
			assert_int_equal(pair_log_add(&logs[(chain + at) % LOGS], &pair, &error),
					 0);
		}
	for (unsigned l = 0; l < LOGS; l++)
		assert_int_equal(pair_log_end(&logs[l], &error), 0);
}

/* The part that contains the pairs of a chain, and their number: each chain must be in one part. */
struct seen_chain {
	size_t part;
	unsigned pairs;
};

static void see_pair(const struct file_pair *pair, size_t part, struct seen_chain *chains)
{
	uint32_t chain = (uint32_t)pair->relation.distance;
	struct seen_chain *seen = &chains[chain];
	uint32_t number = (uint32_t)strtoul(pair->a->display + 1, NULL, 10);
	struct find_file file;
	char name[16];

	assert_int_equal(number / CHAIN_MAX, chain);
	make_file(chain, number % CHAIN_MAX, &file, name);
	assert_string_equal(pair->a->display, name);
	assert_memory_equal(&pair->a->sketch, &file.sketch, sizeof file.sketch);
	assert_int_equal(pair->a->size_bytes, file.size_bytes);
	assert_true(pair->relation.resemblance == 1.0 / (2 + number % CHAIN_MAX));
	assert_int_equal(pair->relation.verification, PAIR_SKETCH);
	if (seen->pairs++ == 0)
		seen->part = part;
	assert_int_equal(seen->part, part);
}

static size_t expect_chains(size_t budget, size_t part_bytes)
{
	struct seen_chain *chains = calloc(CHAINS, sizeof *chains);
	struct pair_log *logs = calloc(LOGS, sizeof *logs);
	struct pair_parts parts;
	struct simhash_error error;
	size_t count;

	assert_non_null(chains);
	assert_non_null(logs);
	log_chains(logs, budget);
	assert_int_equal(pair_parts_make(&parts, logs, LOGS, part_bytes, &error), 0);
	for (size_t part = 0; part < parts.count; part++) {
		struct pair_list list;
		pair_list_init(&list);
		assert_int_equal(pair_parts_load(&parts, part, &list, &error), 0);
		for (size_t i = 0; i < list.count; i++)
			see_pair(&list.pairs[i], part, chains);
		pair_list_release(&list);
	}
	for (uint32_t chain = 0; chain < CHAINS; chain++) {
		assert_int_equal(chains[chain].pairs, CHAIN_MAX - 1);
		assert_int_equal(chains[chain].part, chains[chain_content(chain)].part);
	}
	count = parts.count;
	pair_parts_release(&parts);
	free(chains);
	return count;
}

static void parts_have_all_pairs_and_share_no_content(void **state)
{
	(void)state;
	assert_int_equal(expect_chains((size_t)1 << 30, 1), 1);
	assert_int_equal(expect_chains(5000, (size_t)1 << 30), 1);
	assert_in_range(expect_chains(5000, 100000), 10, 100);
	assert_in_range(expect_chains(0, 1), 300, 1024);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_of_paths_that_were_made_to_collide_has_short_runs),
		cmocka_unit_test(parts_have_all_pairs_and_share_no_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

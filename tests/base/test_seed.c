/*
 * Tests that tables of data from outside are as fast for keys made to collide as for others. The
 * keys collide in the hash that the tables used before they were seeded. The test counts runs of
 * used slots, because a search for a missing key passes through the rest of a run.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/basic/seed.h"
#include "base/data/pair_set.h"

#define KEYS 20000u
/*
 * With half of the slots in use, random keys take 2 steps per slot, and colliding keys take KEYS
 * steps per key.
 */
#define STEPS_MAX ((uint64_t)200 * KEYS)

/* The number of steps of one search from each slot, twice. */
static uint64_t steps_through(const struct pair_set *set)
{
	uint64_t run = 0, steps = 0;

	for (size_t i = 0; i < set->slots.count; i++) {
		if (set->slots.items[i].number != NO_ITEM) {
			run++;
			continue;
		}
		steps += run * run;
		run = 0;
	}
	return steps + run * run;
}

static void set_of_pairs_that_were_made_to_collide_has_short_runs(void **state)
{
	static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
	struct pair_set set = {.pairs = NULL};

	(void)state;
	for (uint64_t i = 1; i <= KEYS; i++)
		assert_int_equal(pair_set_add(&set, (struct pair){12345 ^ i * factor, i}), 1);
	assert_true(steps_through(&set) < STEPS_MAX);
	for (uint64_t i = 1; i <= KEYS; i++)
		assert_int_equal(pair_set_add(&set, (struct pair){12345 ^ i * factor, i}), 0);
	pair_set_release(&set);
}

/* For keys that differ in a few bits anywhere, no slot has many keys. */
static void keys_that_differ_in_any_bits_spread(void **state)
{
	static uint32_t slots[1024];

	(void)state;
	for (unsigned shift = 0; shift <= 48; shift++)
		for (unsigned half = 0; half < 2; half++) {
			uint32_t most = 0;
			memset(slots, 0, sizeof slots);
			for (uint64_t i = 0; i < 4096; i++) {
				uint64_t key = i << shift;
				uint64_t hash = half ? hash_seeded(7, key) : hash_seeded(key, 7);
				uint32_t count = ++slots[hash & 1023];
				most = count > most ? count : most;
			}
			assert_true(most < 128); /* 4 on average */
		}
}

static void seeded_hash_of_bytes_uses_all_of_them(void **state)
{
	uint8_t bytes[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
	uint64_t hash = hash_seeded_bytes(bytes);

	(void)state;
	assert_true(hash == hash_seeded_bytes(bytes));
	for (unsigned i = 0; i < 16; i++) {
		bytes[i] ^= 128;
		assert_true(hash != hash_seeded_bytes(bytes));
		bytes[i] ^= 128;
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_of_pairs_that_were_made_to_collide_has_short_runs),
		cmocka_unit_test(keys_that_differ_in_any_bits_spread),
		cmocka_unit_test(seeded_hash_of_bytes_uses_all_of_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

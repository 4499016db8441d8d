/*
 * Compares the Hamming search with brute force.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "simhash_measures.h"

static struct simhash_error error;

struct pair_log {
	uint8_t *seen; /* count * count: how often a pair was seen */
	size_t count, total;
};

static int log_near(void *context, size_t a, size_t b, unsigned distance,
		    struct simhash_error *unused)
{
	struct pair_log *log = context;

	(void)unused;
	(void)distance;
	log->seen[a < b ? a * log->count + b : b * log->count + a]++;
	log->total++;
	return 0;
}

/* All bits random; or a few families that differ in a few bits; or only a few bits that differ. */
static void make_fingerprints(uint64_t *fingerprints, size_t count, int kind)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t bits = 0;
		switch (kind) {
		case 0:
			fingerprints[i] = next_random();
			break;
		case 1:
			for (unsigned k = 0; k < next_random() % 7; k++)
				bits |= UINT64_C(1) << next_random() % 64;
			fingerprints[i] = (i % 9) * UINT64_C(0x9e3779b97f4a7c15) ^ bits;
			break;
		default:
			fingerprints[i] = UINT64_C(0x0123456789abcdef) ^
					  (next_random() & UINT64_C(0x8000f00000010f81));
			break;
		}
	}
}

static void hamming_search_equals_brute_force(void **state)
{
	static const size_t counts[] = {0, 1, 2, 100, 300, 3000};
	static uint64_t fingerprints[3000];

	(void)state;
	for (int kind = 0; kind < 3; kind++)
		for (size_t c = 0; c < 6; c++)
			for (unsigned k = 0; k <= SIMHASH_HAMMING_MAX; k++) {
				size_t n = counts[c];
				struct pair_log log = {calloc(n + 1, n + 1), n, 0};
				make_fingerprints(fingerprints, n, kind);
				assert_int_equal(simhash_hamming_pairs(fingerprints, n, k, log_near,
								       &log, &error),
						 0);
				for (size_t a = 0; a < n; a++)
					for (size_t b = a + 1; b < n; b++)
						if (log.seen[a * n + b] !=
						    (__builtin_popcountll(fingerprints[a] ^
									  fingerprints[b]) <=
						     (int)k))
							fail_msg("kind %d, k %u: %u times", kind, k,
								 log.seen[a * n + b]);
				free(log.seen);
			}
}

static int log_found(void *context, size_t a, unsigned distance, struct simhash_error *unused)
{
	struct pair_log *log = context;

	(void)unused;
	assert_true(distance <= SIMHASH_HAMMING_MAX);
	log->seen[a]++;
	return 0;
}

static void hamming_queries_equal_brute_force(void **state)
{
	enum { COUNT = 30000 };
	static uint64_t fingerprints[COUNT];

	(void)state;
	for (int kind = 0; kind < 3; kind++)
		for (unsigned k = 0; k <= SIMHASH_HAMMING_MAX; k += k < 4 ? 1 : 4) {
			struct simhash_hamming_index *index;
			make_fingerprints(fingerprints, COUNT, kind);
			assert_int_equal(
				simhash_hamming_index_new(fingerprints, COUNT, k, &index, &error),
				0);
			for (int q = 0; q < 50; q++) {
				uint64_t asked = fingerprints[next_random() % COUNT] ^
						 UINT64_C(5) << next_random() % 60;
				struct pair_log log = {calloc(COUNT, 1), COUNT, 0};
				assert_int_equal(simhash_hamming_index_query(
							 index, asked, log_found, &log, &error),
						 0);
				for (size_t i = 0; i < COUNT; i++)
					assert_int_equal(
						log.seen[i],
						__builtin_popcountll(asked ^ fingerprints[i]) <=
							(int)k);
				free(log.seen);
			}
			simhash_hamming_index_free(index);
		}
}

static void hamming_plan_grows_with_the_number(void **state)
{
	struct simhash_hamming_plan few, many;

	(void)state;
	simhash_hamming_plan(100, 3, &few);
	assert_int_equal(few.tables, 0);
	simhash_hamming_plan(10000, 3, &few);
	simhash_hamming_plan(100000000, 3, &many);
	assert_true(few.tables >= 4 && many.tables > few.tables);
	assert_true(many.prefix_bits > few.prefix_bits);
	assert_int_equal(simhash_hamming_pairs(NULL, 0, 9, log_near, NULL, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_RANGE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(hamming_search_equals_brute_force),
		cmocka_unit_test(hamming_queries_equal_brute_force),
		cmocka_unit_test(hamming_plan_grows_with_the_number),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

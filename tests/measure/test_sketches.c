/*
 * Tests the properties that hold for the sketches of every measure.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "measure/features.h"
#include "random.h"
#include "simhash_measures.h"
#include "sketching.h"

static struct simhash_error error;

static const char *const all_measures[] = {
	"simhash64",	     "simhash64:bytes=1", "simhash64:bytes=64", "simhash128:words",
	"simhash64:words=3", "minhash",		  "minhash:words=2",	"minhash:functions=16",
	"bottomk",	     "bottomk:k=1024",	  "bottomk:words",	"simhash128:bytes=5",
};

static void any_split_gives_the_same_sketch(void **state)
{
	static uint8_t bytes[200000];
	uint8_t whole[SIMHASH_SKETCH_MAX], parts[SIMHASH_SKETCH_MAX];
	static const size_t sizes[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 300, 5000, 200000};

	(void)state;
	for (size_t m = 0; m < sizeof all_measures / sizeof *all_measures; m++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
			struct simhash_measure *measure = measure_of(all_measures[m]);
			struct simhash_sketcher *sketcher;
			size_t size = make_bytes(bytes, sizes[s]);
			uint64_t features = sketch_of(all_measures[m], bytes, size, whole);
			assert_int_equal(simhash_sketcher_new(measure, &sketcher, &error), 0);
			/* Use the same sketcher many times: finishing starts it again. */
			for (int round = 0; round < 4; round++) {
				size_t most = round == 0 ? 1 : (size_t)1 << (3 + 4 * round);
				for (size_t at = 0, part; at < size; at += part) {
					part = 1 + next_random() % most;
					part = part > size - at ? size - at : part;
					simhash_sketcher_update(sketcher, bytes + at, part);
				}
				uint64_t again;
				assert_int_equal(simhash_sketcher_finish(sketcher, parts,
									 sizeof parts, &again,
									 &error),
						 0);
				assert_int_equal(again, features);
				assert_memory_equal(whole, parts,
						    simhash_measure_sketch_size(measure));
			}
			simhash_sketcher_free(sketcher);
			simhash_measure_free(measure);
		}
}

static void estimates_lie_where_their_deviation_says(void **state)
{
	static const char *const measures[] = {"minhash:words", "bottomk:words",
					       "minhash:words,functions=1024",
					       "bottomk:words,k=1024"};
	static const unsigned set_sizes[] = {3, 20, 100, 1000, 20000};
	static char a[1200000], b[1200000];
	uint8_t x[SIMHASH_SKETCH_MAX], y[SIMHASH_SKETCH_MAX];

	(void)state;
	for (size_t m = 0; m < 4; m++)
		for (size_t s = 0; s < 5; s++) {
			struct simhash_measure *measure = measure_of(measures[m]);
			unsigned size = set_sizes[s], rounds = size > 2000 ? 3 : 60;
			double sum = 0, truth = 0, least = 1;
			for (unsigned round = 0; round < rounds; round++) {
				/* Two thirds of each are in both, so the resemblance is a half. */
				unsigned base = (unsigned)(next_random() % 100000000);
				unsigned shift = size / 3, low = base, high = base + size;
				double deviation, share;
				size_t size_a = write_set(a, low, high, 2);
				size_t size_b = write_set(b, low + shift, high + shift, 1);
				sketch_of(measures[m], a, size_a, x);
				sketch_of(measures[m], b, size_b, y);
				truth = (double)(size - shift) / (size + shift);
				share = simhash_sketch_similarity(measure, x, y, &deviation);
				sum += share;
				least = deviation < least ? deviation : least;
				if (fabs(share - truth) >
				    5.5 * sqrt(truth * (1 - truth) / 64) + 1e-9)
					fail_msg("%s, %u: %f for %f", measures[m], size, share,
						 truth);
				if (m == 3 && size <= 500) /* the sketch contains all of them */
					assert_true(share == truth && deviation == 0);
			}
			sum /= rounds;
			/* There is no bias: within four deviations of the mean. */
			if (fabs(sum - truth) > 4 * sqrt(truth * (1 - truth) / 64 / rounds) + 1e-3)
				fail_msg("%s, %u: mean %f for %f", measures[m], size, sum, truth);
			simhash_measure_free(measure);
		}
}

static void sets_know_no_order(void **state)
{
	static char a[100000], b[100000];
	static const char *const measures[] = {"minhash:words", "bottomk:words", "simhash64:words"};
	uint8_t x[SIMHASH_SKETCH_MAX], y[SIMHASH_SKETCH_MAX];

	(void)state;
	for (size_t m = 0; m < 3; m++)
		for (unsigned size = 1; size < 3000; size = 3 * size + 1) {
			struct simhash_measure *measure = measure_of(measures[m]);
			size_t size_a = write_set(a, 0, size, m == 2 ? 1 : 3);
			size_t size_b = write_set(b, 0, size, 1);
			sketch_of(measures[m], a, size_a, x);
			sketch_of(measures[m], b, size_b, y);
			assert_memory_equal(x, y, simhash_measure_sketch_size(measure));
			assert_true(simhash_sketch_similarity(measure, x, y, NULL) == 1);
			assert_int_equal(simhash_sketch_cluster(measure, x),
					 simhash_sketch_cluster(measure, y));
			simhash_measure_free(measure);
		}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_split_gives_the_same_sketch),
		cmocka_unit_test(estimates_lie_where_their_deviation_says),
		cmocka_unit_test(sets_know_no_order),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

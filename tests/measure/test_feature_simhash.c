/*
 * Tests the feature simhash with worked examples of the literature, the signs of plain sums, and
 * weights.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

#include "random.h"
#include "simhash_measures.h"
#include "sketching.h"

static unsigned bits_between(const uint8_t *a, const uint8_t *b, size_t size)
{
	int bits = 0;

	for (size_t i = 0; i < size; i++)
		bits += __builtin_popcount((unsigned)(a[i] ^ b[i]));
	return (unsigned)bits;
}

/* "Simhashing (hopefully) made simple": letters without their three highest bits. */
static uint64_t letters_of(const char *word)
{
	struct simhash_sums sums = {{0}};
	uint64_t fingerprint = 0;

	for (; *word != '\0'; word++)
		simhash_sums_add(&sums, (uint64_t)*word & 0x1f, 1);
	/* In that text, a sum of 0 also sets the bit. */
	for (int bit = 0; bit < 5; bit++)
		fingerprint |= (uint64_t)(sums.sum[bit] >= 0) << bit;
	return fingerprint;
}

static void four_words_pair_as_told(void **state)
{
	uint64_t banana = letters_of("banana"), bozo = letters_of("bozo");
	uint64_t cabana = letters_of("cabana"), ozone = letters_of("ozone");

	(void)state;
	assert_int_equal(banana, cabana);
	assert_int_equal(bozo, ozone);
	assert_int_not_equal(banana, bozo);
	/*
	 * 10011 differs by 1 from the first and the third, and by 3 from the others; it is also the
	 * result for "sssss".
	 */
	assert_int_equal(__builtin_popcountll(banana ^ 0x13), 1);
	assert_int_equal(__builtin_popcountll(bozo ^ 0x13), 3);
	assert_int_equal(letters_of("sssss"), 0x13);
}

/* "kkreallyrocks": three features of hashes 1001, 0101 and 1101 make 1101. */
static void sum_of_three_features_as_told(void **state)
{
	struct simhash_sums sums = {{0}};

	(void)state;
	simhash_sums_add(&sums, 0x9, 1);
	simhash_sums_add(&sums, 0x5, 1);
	simhash_sums_add(&sums, 0xd, 1);
	assert_int_equal(simhash_sums_fingerprint(&sums), 0xd);
}

/* Zheng and Hong, figure 3.1: 15 of 128 bits, and 66 by ordinary hashes. */
static void longer_sentence_is_nearer_than_hashes(void **state)
{
	static const char a[] = "This is google test", b[] = "For example: This is google test";
	uint8_t x[16], y[16];
	XXH128_canonical_t hash_x, hash_y;
	unsigned by_simhash, by_hash;

	(void)state;
	assert_int_equal(sketch_of("simhash128:words", a, strlen(a), x), 4);
	assert_int_equal(sketch_of("simhash128:words", b, strlen(b), y), 6);
	XXH128_canonicalFromHash(&hash_x, XXH3_128bits(a, strlen(a)));
	XXH128_canonicalFromHash(&hash_y, XXH3_128bits(b, strlen(b)));
	by_simhash = bits_between(x, y, 16);
	by_hash = bits_between(hash_x.digest, hash_y.digest, 16);
	assert_true(by_hash > 48 && by_hash < 80);
	assert_true(by_simhash < 40 && by_simhash < by_hash / 2 + 8);
}

/*
 * Three sentences: the meaningful words have weight 3, so the first and the third become similar.
 */
static void weights_bring_the_cats_together(void **state)
{
	static const char *const sentences[] = {"the cat in the tree is white",
						"the man in the suit is happy",
						"a white cat is in a tree"};
	struct simhash_measure *weighted = measure_weighted(
		"simhash128:words",
		"# the words of the example\n3 cat\n3 tree\n3 white\n3 man\n3 suit\n3 happy\n");
	uint8_t plain[3][16], heavy[3][16];

	(void)state;
	for (int i = 0; i < 3; i++) {
		sketch_of("simhash128:words", sentences[i], strlen(sentences[i]), plain[i]);
		sketch_by(weighted, sentences[i], strlen(sentences[i]), heavy[i]);
	}
	/* Without weights, "the ... in the ... is" counts as much. */
	assert_true(bits_between(heavy[0], heavy[2], 16) * bits_between(plain[0], plain[1], 16) <
		    bits_between(plain[0], plain[2], 16) * bits_between(heavy[0], heavy[1], 16));
	assert_true(bits_between(heavy[0], heavy[2], 16) < bits_between(heavy[0], heavy[1], 16));
	assert_true(bits_between(heavy[0], heavy[2], 16) < bits_between(heavy[1], heavy[2], 16));
	simhash_measure_free(weighted);
}

static void simhash_is_the_sign_of_sums(void **state)
{
	static uint8_t bytes[70000];
	uint8_t sketch[16];
	static const size_t sizes[] = {8, 9, 70, 71, 72, 135, 1000, 4103, 70000};

	(void)state;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		struct simhash_sums sums[2] = {{{0}}, {{0}}};
		make_bytes(bytes, sizes[s]);
		for (size_t i = 0; i + 8 <= sizes[s]; i++)
			for (int half = 0; half < 2; half++)
				simhash_sums_add(&sums[half],
						 XXH3_64bits_withSeed(bytes + i, 8, (uint64_t)half),
						 1);
		assert_int_equal(sketch_of("simhash128", bytes, sizes[s], sketch), sizes[s] - 7);
		assert_int_equal(number_at(sketch), simhash_sums_fingerprint(&sums[0]));
		assert_int_equal(number_at(sketch + 8), simhash_sums_fingerprint(&sums[1]));
		sketch_of("simhash64", bytes, sizes[s], sketch);
		assert_int_equal(number_at(sketch), simhash_sums_fingerprint(&sums[0]));
	}
	/* A content shorter than a feature is one feature; an empty one has none. */
	assert_int_equal(sketch_of("simhash64", "abc", 3, sketch), 1);
	assert_int_equal(number_at(sketch), XXH3_64bits("abc", 3));
	assert_int_equal(sketch_of("simhash64", "", 0, sketch), 0);
}

static void weights_are_heeded(void **state)
{
	static const char text[] = "a b c a d e\x01"
				   "f a c b g";
	static const struct {
		const char *word;
		int64_t weight;
	} words[] = {{"a", 5},
		     {"b", 0},
		     {"c", 2},
		     {"a", 5},
		     {"d", 2},
		     {"e\x01"
		      "f",
		      7},
		     {"a", 5},
		     {"c", 2},
		     {"b", 0},
		     {"g", 2}};
	struct simhash_measure *weighted =
		measure_weighted("simhash64:words", "default 2\n5 a\n0 b\n7 \\x65\n9 f\n");
	struct simhash_sums sums = {{0}};
	uint8_t sketch[8];

	(void)state;
	sketch_by(weighted, text, strlen(text), sketch);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strchr(words[i].word, '\x01') == NULL)
			simhash_sums_add(&sums, XXH3_64bits(words[i].word, strlen(words[i].word)),
					 words[i].weight);
	simhash_sums_add(&sums, XXH3_64bits("e", 1), 7);
	simhash_sums_add(&sums, XXH3_64bits("f", 1), 9);
	assert_int_equal(number_at(sketch), simhash_sums_fingerprint(&sums));
	simhash_measure_free(weighted);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_words_pair_as_told),
		cmocka_unit_test(sum_of_three_features_as_told),
		cmocka_unit_test(longer_sentence_is_nearer_than_hashes),
		cmocka_unit_test(weights_bring_the_cats_together),
		cmocka_unit_test(simhash_is_the_sign_of_sums),
		cmocka_unit_test(weights_are_heeded),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

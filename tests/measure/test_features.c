/*
 * Compares features with the libraries that define them (n-grams and words), and counts set bits.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <cmocka.h>

#include "measure/bit_counts.h"
#include "measure/features.h"
#include "random.h"
#include "simhash_measures.h"

static void check_ngrams(ngram_fn *hashes, unsigned n, const uint8_t *bytes)
{
	uint64_t out[200], second[200];

	for (size_t count = 0; count + n <= 140; count += count < 40 ? 1 : 7)
		for (int both = 0; both < 2; both++) {
			/* A separate heap block ends exactly where reading must end. */
			uint8_t *exact = malloc(count + n - 1 + (count + n == 1));
			memcpy(exact, bytes, count + n - 1);
			memset(out, 0, sizeof out);
			memset(second, 0, sizeof second);
			hashes(exact, count, n, out, both ? second : NULL);
			for (size_t i = 0; i < count; i++) {
				assert_int_equal(out[i], XXH3_64bits(bytes + i, n));
				assert_int_equal(second[i],
						 both ? XXH3_64bits_withSeed(bytes + i, n, 1) : 0);
			}
			/* Nothing is written after it. */
			assert_int_equal(out[count], 0);
			assert_int_equal(second[count], 0);
			free(exact);
		}
}

typedef void count_fn(struct bit_counts *counts, const uint64_t *hashes, size_t blocks);

/* Add the same block many times, in calls of all sizes, also until the planes are full. */
static void check_counts(count_fn *count, const uint64_t *hashes, size_t blocks)
{
	static uint64_t repeated[64 * 64];
	int64_t expected[64] = {0};
	struct bit_counts *counts = malloc(sizeof *counts);
	size_t left = blocks;

	memset(counts, 0, sizeof *counts);
	for (size_t i = 0; i < 64; i++) {
		memcpy(repeated + 64 * i, hashes, 64 * sizeof *hashes);
		for (int bit = 0; bit < 64; bit++)
			expected[bit] += (int64_t)blocks * (int64_t)(hashes[i] >> bit & 1);
	}
	for (size_t part = 1; left > 0; part = part % 64 + 1) {
		size_t now = part < left ? part : left;
		count(counts, repeated, now);
		left -= now;
	}
	empty_planes(counts);
	assert_memory_equal(counts->count, expected, sizeof expected);
	free(counts);
}

static void bits_are_counted(void **state)
{
	static const size_t numbers[] = {0,  1,	 2,   15,  16,	 17,
					 31, 33, 256, 300, 4097, (1u << 20) + 100003};
	uint64_t hashes[64] __attribute__((aligned(32)));

	(void)state;
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		for (size_t k = 0; k < 64; k++)
			hashes[k] = next_random() | UINT64_C(1) << 63;
		check_counts(count_blocks_here, hashes, numbers[i]);
#ifdef SIMHASH_X86_KERNELS
		if (__builtin_cpu_supports("avx2"))
			check_counts(count_blocks_avx2, hashes, numbers[i]);
#endif
	}
}

static void ngram_hashes_are_those_of_the_library(void **state)
{
	uint8_t bytes[400];

	(void)state;
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (uint8_t)next_random();
	for (unsigned n = 1; n <= FEATURE_BYTES_MAX; n++) {
		check_ngrams(ngram_hashes, n, bytes);
		check_ngrams(ngram_hashes_portable, n, bytes);
	}
#ifdef SIMHASH_X86_KERNELS
	for (unsigned n = 4; n <= 8; n++) {
		if (__builtin_cpu_supports("avx2"))
			check_ngrams(ngram_hashes_avx2, n, bytes);
		if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
			check_ngrams(ngram_hashes_avx512, n, bytes);
	}
#endif
}

struct word_log {
	char *text;
	size_t size, room;
};

static void log_word(void *context, const char *word, size_t size)
{
	struct word_log *log = context;

	assert_true(log->size + size + 1 <= log->room);
	memcpy(log->text + log->size, word, size);
	log->text[log->size + size] = '\n';
	log->size += size + 1;
}

static struct word_log new_log(size_t size)
{
	return (struct word_log){malloc(2 * size + 2), 0, 2 * size + 2};
}

static void ascii_words_are_those_of_the_library(void **state)
{
	static const char signs[] = "aZ0_9.':,;-  \t\"\r\n()b\x1f\x7f";
	char text[300];

	(void)state;
	for (int round = 0; round < 20000; round++) {
		size_t size = next_random() % sizeof text;
		struct word_log fast = new_log(size), slow = new_log(size);
		for (size_t i = 0; i < size; i++)
			text[i] = round % 2 == 0 ? signs[next_random() % (sizeof signs - 1)]
						 : (char)(next_random() % 128);
		split_ascii_words(text, size, log_word, &fast);
		split_unicode_words(text, size, log_word, &slow);
		if (fast.size != slow.size || memcmp(fast.text, slow.text, fast.size) != 0)
			fail_msg("'%.*s': '%.*s' and '%.*s'", (int)size, text, (int)fast.size,
				 fast.text, (int)slow.size, slow.text);
		free(fast.text);
		free(slow.text);
	}
}

static void words_of_any_script(void **state)
{
	static const char text[] = "Gr\xc3\xbc\xc3\x9f"
				   "e aus K\xc3\xb6ln: 3,14 isn't x_1\n\xd0\xbc\xd0\xb8\xd1\x80!\n"
				   "\xe4\xb8\xad\xe6\x96\x87\nplain\n\xff\xfe broken";
	static const char expected[] =
		"Gr\xc3\xbc\xc3\x9f"
		"e\naus\nK\xc3\xb6ln\n3,14\nisn't\nx_1\n\xd0\xbc\xd0\xb8\xd1\x80\n"
		"\xe4\xb8\xad\n\xe6\x96\x87\nplain\nbroken\n";
	struct word_log log = new_log(sizeof text);

	(void)state;
	split_words(text, strlen(text), log_word, &log);
	assert_int_equal(log.size, strlen(expected));
	assert_memory_equal(log.text, expected, log.size);
	free(log.text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(bits_are_counted),
		cmocka_unit_test(ngram_hashes_are_those_of_the_library),
		cmocka_unit_test(ascii_words_are_those_of_the_library),
		cmocka_unit_test(words_of_any_script),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

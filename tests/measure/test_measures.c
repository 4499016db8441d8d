/*
 * Measures: the worked examples of the literature, and every fast way against a plain one.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include <cmocka.h>

#include "measure/bit_counts.h"
#include "measure/features.h"
#include "measure/measure.h"
#include "simhash_measures.h"

static struct simhash_error error;

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * UINT64_C(0x2545f4914f6cdd1d);
}

static struct simhash_measure *measure_of(const char *text)
{
	struct simhash_measure *measure;

	if (simhash_measure_new(text, &measure, &error) != 0)
		fail_msg("%s: %s", text, error.message);
	return measure;
}

static struct simhash_measure *measure_weighted(const char *text, const char *lines)
{
	struct simhash_weights *weights;
	struct simhash_measure *measure;

	assert_int_equal(simhash_weights_parse(lines, strlen(lines), "weights", &weights, &error),
			 0);
	assert_int_equal(simhash_measure_new_weighted(text, weights, &measure, &error), 0);
	simhash_weights_free(weights);
	return measure;
}

/* The sketch of some bytes at once, and how many features they have. */
static uint64_t sketch_by(const struct simhash_measure *measure, const void *bytes, size_t size,
			  uint8_t *sketch)
{
	struct simhash_sketcher *sketcher;
	uint64_t features;

	assert_int_equal(simhash_sketcher_new(measure, &sketcher, &error), 0);
	simhash_sketcher_update(sketcher, bytes, size);
	assert_int_equal(simhash_sketcher_finish(sketcher, sketch,
						 simhash_measure_sketch_size(measure), &features,
						 &error),
			 0);
	simhash_sketcher_free(sketcher);
	return features;
}

static uint64_t sketch_of(const char *text, const void *bytes, size_t size, uint8_t *sketch)
{
	struct simhash_measure *measure = measure_of(text);
	uint64_t features = sketch_by(measure, bytes, size, sketch);

	simhash_measure_free(measure);
	return features;
}

static uint64_t number_at(const uint8_t *bytes)
{
	uint64_t number = 0;

	for (int i = 0; i < 8; i++)
		number = number << 8 | bytes[i];
	return number;
}

static unsigned bits_between(const uint8_t *a, const uint8_t *b, size_t size)
{
	int bits = 0;

	for (size_t i = 0; i < size; i++)
		bits += __builtin_popcount((unsigned)(a[i] ^ b[i]));
	return (unsigned)bits;
}

/* ---- Worked examples ---- */

/* "Simhashing (hopefully) made simple": letters without their three highest bits. */
static uint64_t letters_of(const char *word)
{
	struct simhash_sums sums = {{0}};
	uint64_t fingerprint = 0;

	for (; *word != '\0'; word++)
		simhash_sums_add(&sums, (uint64_t)*word & 0x1f, 1);
	/* There, a sum of 0 makes a bit, too. */
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
	/* 10011 is 1 from the first and the third, 3 from the others; "sssss" is that, too. */
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

/* Three sentences: the words that mean something weigh 3, and bring the first and third together. */
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
	/* Without weights "the ... in the ... is" counts for as much. */
	assert_true(bits_between(heavy[0], heavy[2], 16) * bits_between(plain[0], plain[1], 16) <
		    bits_between(plain[0], plain[2], 16) * bits_between(heavy[0], heavy[1], 16));
	assert_true(bits_between(heavy[0], heavy[2], 16) < bits_between(heavy[0], heavy[1], 16));
	assert_true(bits_between(heavy[0], heavy[2], 16) < bits_between(heavy[1], heavy[2], 16));
	simhash_measure_free(weighted);
}

/* {a, b, c} and {a, b, d}: a half. "roses are red ..." in shingles of three words. */
static void bags_and_shingles_as_told(void **state)
{
	struct simhash_overlap overlap;
	static const char roses[] = "roses are red and violets are blue";

	(void)state;
	assert_int_equal(simhash_overlap("words", "a b c", 5, "a b d", 5, &overlap, &error), 0);
	assert_int_equal(overlap.both, 2);
	assert_int_equal(overlap.either, 4);
	assert_int_equal(simhash_overlap("words=3", roses, strlen(roses), "are red and", 11,
					 &overlap, &error),
			 0);
	assert_int_equal(overlap.a, 5);
	assert_int_equal(overlap.b, 1);
	assert_int_equal(overlap.both, 1);
}

/* ---- Features ---- */

static void check_ngrams(ngram_fn *hashes, unsigned n, const uint8_t *bytes)
{
	uint64_t out[200], second[200];

	for (size_t count = 0; count + n <= 140; count += count < 40 ? 1 : 7)
		for (int both = 0; both < 2; both++) {
			/* What is read ends where it may: a heap block of its own. */
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
			/* And nothing beyond. */
			assert_int_equal(out[count], 0);
			assert_int_equal(second[count], 0);
			free(exact);
		}
}

typedef void count_fn(struct bit_counts *counts, const uint64_t *hashes, size_t blocks);

/* The same block again and again, in calls of all sizes, also until the planes are full. */
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

static const char *const all_measures[] = {
	"simhash64",	     "simhash64:bytes=1", "simhash64:bytes=64", "simhash128:words",
	"simhash64:words=3", "minhash",		  "minhash:words=2",	"minhash:functions=16",
	"bottomk",	     "bottomk:k=1024",	  "bottomk:words",	"simhash128:bytes=5",
};

/* Text with long lines, other scripts, and what is no text at all. */
static size_t make_bytes(uint8_t *bytes, size_t size)
{
	static const char *const words[] = {"alpha", "beta,", "\xd0\xbc\xd0\xb8\xd1\x80",
					    "x",     "\n",    "\xff\xc3",
					    "3.5",   "don't"};

	for (size_t at = 0; at < size;) {
		const char *word = words[next_random() % 8];
		size_t length = strlen(word);
		if (next_random() % 50 == 0) {
			bytes[at++] = (uint8_t)next_random();
			continue;
		}
		for (size_t i = 0; i < length && at < size; i++)
			bytes[at++] = (uint8_t)word[i];
		if (at < size && next_random() % 8 != 0)
			bytes[at++] = ' ';
	}
	return size;
}

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
			/* The same one again and again: finishing begins anew. */
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

/* ---- Sketches against plain ones ---- */

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
	/* What is shorter than a feature is one; nothing is none. */
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

static int compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * Contents of all kinds: 0 text and the like, 1 random, 2 one byte again and again, 3 a short
 * pattern again and again, 4 random with long runs.
 */
static void make_content(uint8_t *bytes, size_t size, int kind)
{
	size_t period = 2 + next_random() % 60;

	if (kind == 0)
		make_bytes(bytes, size);
	for (size_t i = 0; kind > 0 && i < size; i++)
		bytes[i] = kind == 2 || (kind == 3 && i < period) || i == 0
				   ? (uint8_t)(i == 0 || kind == 3 ? next_random() : bytes[0])
			   : kind == 3 || (kind == 4 && next_random() % 64 != 0)
				   ? bytes[i - (kind == 3 ? period : 1)]
				   : (uint8_t)next_random();
}

static void bottomk_is_the_smallest_hashes(void **state)
{
	static uint8_t bytes[3000];
	uint64_t hashes[3000];
	uint8_t sketch[64 * 8];
	struct simhash_measure *measure = measure_of("bottomk");

	(void)state;
	for (size_t size = 8; size <= sizeof bytes; size += size < 200 ? 1 : 977) {
		size_t count = 0, kept = 0;
		make_content(bytes, size, (int)(size % 5));
		for (size_t i = 0; i + 8 <= size; i++)
			hashes[count++] = XXH3_64bits(bytes + i, 8);
		qsort(hashes, count, sizeof *hashes, compare_numbers);
		for (size_t i = 0; i < count; i++)
			if (i == 0 || hashes[i] != hashes[i - 1])
				hashes[kept++] = hashes[i];
		sketch_of("bottomk", bytes, size, sketch);
		for (size_t i = 0; i < 64; i++)
			assert_int_equal(number_at(sketch + 8 * i),
					 i < kept ? hashes[i] : UINT64_MAX);
		if (kept >= 4)
			assert_int_equal((uint64_t)simhash_sketch_cluster(measure, sketch),
					 hashes[0] ^ hashes[1] ^ hashes[2] ^ hashes[3]);
	}
	simhash_measure_free(measure);
}

/* SuperMinHash as its paper has it: every draw of every feature. */
static void minhash_plainly(const uint8_t *bytes, size_t size, unsigned shift, uint8_t *sketch)
{
	static uint64_t value[1024];
	unsigned functions = 1U << shift, order[1024];

	memset(value, 0xff, sizeof value);
	for (size_t i = 0; i + 8 <= size; i++) {
		uint64_t random = XXH3_64bits(bytes + i, 8);
		for (unsigned k = 0; k < functions; k++)
			order[k] = k;
		for (unsigned level = 0; level < functions; level++) {
			unsigned pick = (unsigned)random & (functions - 1), function;
			uint64_t number;
			if (level > 0) {
				random = mix_bits(random + UINT64_C(0x9e3779b97f4a7c15));
				pick = level +
				       (unsigned)((mix_bits(random) >> 32) * (functions - level) >>
						  32);
			}
			function = order[pick];
			order[pick] = order[level];
			order[level] = function;
			number = (uint64_t)level << (64 - shift) | random >> shift;
			if (number < value[function])
				value[function] = number;
		}
	}
	for (unsigned k = 0; k < functions; k++) {
		uint64_t mixed = value[k] + (value[k] >> (64 - shift)) * 0x9e37;
		sketch[2 * k] = (uint8_t)(mixed >> 8);
		sketch[2 * k + 1] = (uint8_t)mixed;
	}
}

static void minhash_is_that_of_all_draws(void **state)
{
	static uint8_t bytes[20000];
	static const size_t sizes[] = {8, 9, 15, 16, 17, 40, 300, 1031, 1040, 5000, 20000};
	static const char *const measures[] = {"minhash:functions=16", "minhash"};
	uint8_t expected[SIMHASH_SKETCH_MAX], sketch[SIMHASH_SKETCH_MAX];

	(void)state;
	for (int m = 0; m < 2; m++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
			for (int kind = 0; kind < 5; kind++) {
				make_content(bytes, sizes[s], kind);
				minhash_plainly(bytes, sizes[s], m == 0 ? 4 : 7, expected);
				sketch_of(measures[m], bytes, sizes[s], sketch);
				assert_memory_equal(sketch, expected, m == 0 ? 32 : 256);
			}
}

/* Words of two sets with a known Jaccard index, in any order and any number of times. */
static size_t write_set(char *text, unsigned from, unsigned to, unsigned repeats)
{
	unsigned count = (to - from) * repeats, *order = malloc(count * sizeof *order);
	size_t at = 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned k = (unsigned)(next_random() % (i + 1));
		order[i] = order[k];
		order[k] = from + i % (to - from);
	}
	for (unsigned i = 0; i < count; i++)
		at += (size_t)sprintf(text + at, "w%u ", order[i]);
	free(order);
	return at;
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
				/* Two thirds of each are in both: a half. */
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
				if (m == 3 && size <= 500) /* all of them are in the sketch */
					assert_true(share == truth && deviation == 0);
			}
			sum /= rounds;
			/* No bias: within four deviations of the mean. */
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

/* ---- Pairs ---- */

struct pair_log {
	uint8_t *seen; /* count * count, how often */
	size_t count, total;
};

static int log_pair(void *context, size_t a, size_t b, double similarity,
		    struct simhash_error *unused)
{
	struct pair_log *log = context;

	(void)unused;
	assert_true(a < b && b < log->count && similarity <= 1);
	log->seen[a * log->count + b]++;
	log->total++;
	return 0;
}

/* Families of texts, of which each member has a few words of its own. */
static void write_text(char *text, size_t words, unsigned family, unsigned changes)
{
	uint64_t saved = random_state;
	size_t at = 0;
	unsigned *numbers = malloc(words * sizeof *numbers);

	random_state = family * 7919u + 1;
	for (size_t i = 0; i < words; i++)
		numbers[i] = (unsigned)(next_random() % 5000);
	random_state = saved;
	for (unsigned i = 0; i < changes; i++)
		numbers[next_random() % words] = (unsigned)(next_random() % 5000);
	for (size_t i = 0; i < words; i++)
		at += (size_t)sprintf(text + at, "w%u ", numbers[i]);
	free(numbers);
}

static void pairs_are_those_of_brute_force(void **state)
{
	static const struct {
		const char *measure;
		double least;
	} cases[] = {
		{"simhash64:words", 0.9}, {"simhash64:words", 0.875}, {"simhash128:words", 0.92},
		{"bottomk:words", 0.8},	  {"bottomk:words", 0.5},     {"bottomk:words,k=8", 0.75},
		{"minhash:words", 0.8},	  {"minhash:words", 0.5},     {"simhash64:words", 1}};
	enum { COUNT = 600 };
	static char text[20000];

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct simhash_measure *measure = measure_of(cases[c].measure);
		size_t size = simhash_measure_sketch_size(measure), expected = 0, lost = 0;
		uint8_t *sketches = malloc(COUNT * size);
		struct pair_log log = {calloc(COUNT, COUNT), COUNT, 0};
		for (unsigned i = 0; i < COUNT; i++) {
			write_text(text, 40 + i % 60 * 10, i % 60, (unsigned)(next_random() % 80));
			sketch_of(cases[c].measure, text, strlen(text), sketches + i * size);
		}
		assert_int_equal(simhash_sketch_pairs(measure, sketches, COUNT, cases[c].least,
						      log_pair, &log, &error),
				 0);
		for (size_t a = 0; a < COUNT; a++)
			for (size_t b = a + 1; b < COUNT; b++) {
				bool is_pair =
					simhash_sketch_similarity(measure, sketches + a * size,
								  sketches + b * size,
								  NULL) >= cases[c].least - 1e-12;
				unsigned times = log.seen[a * COUNT + b];
				expected += is_pair;
				lost += is_pair && times == 0;
				if (times > 1 || (times == 1 && !is_pair))
					fail_msg("%s: a pair %u times", cases[c].measure, times);
			}
		assert_true(expected > 20 || cases[c].least == 1);
		if (strncmp(cases[c].measure, "minhash", 7) == 0 ? lost * 500 > expected : lost > 0)
			fail_msg("%s: %zu of %zu pairs lost", cases[c].measure, lost, expected);
		free(log.seen);
		free(sketches);
		simhash_measure_free(measure);
	}
}

/* Where all files have much in common, such as a licence, all are compared with all. */
static void crowded_sketches_lose_no_pair(void **state)
{
	enum { COUNT = 400 };
	static char text[20000];
	struct simhash_measure *measure = measure_of("minhash:words");
	size_t size = simhash_measure_sketch_size(measure), expected = 0;
	uint8_t *sketches = malloc(COUNT * size);
	struct pair_log log = {calloc(COUNT, COUNT), COUNT, 0};

	(void)state;
	for (unsigned i = 0; i < COUNT; i++) {
		size_t at = 0;
		for (unsigned w = 0; w < 200; w++)
			at += (size_t)sprintf(text + at, "common%u ", w);
		for (unsigned w = 0; w < 120 + i % 60; w++)
			at += (size_t)sprintf(text + at, "own%ux%u ", i / 2, w + i % 2 * 20);
		sketch_of("minhash:words", text, at, sketches + i * size);
	}
	assert_int_equal(
		simhash_sketch_pairs(measure, sketches, COUNT, 0.5, log_pair, &log, &error), 0);
	for (size_t a = 0; a < COUNT; a++)
		for (size_t b = a + 1; b < COUNT; b++) {
			bool is_pair = simhash_sketch_similarity(measure, sketches + a * size,
								 sketches + b * size, NULL) >= 0.5;
			expected += is_pair;
			assert_int_equal(log.seen[a * COUNT + b], is_pair);
		}
	if (expected < COUNT / 4 || expected > COUNT * COUNT / 8)
		fail_msg("%zu pairs are no test", expected);
	free(log.seen);
	free(sketches);
	simhash_measure_free(measure);
}

/* ---- Hamming search ---- */

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

/* All bits random; or a few families that differ in a few bits; or few bits that differ at all. */
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

/* ---- Exact measures ---- */

static uint64_t lcs_plain(const uint8_t *a, size_t n, const uint8_t *b, size_t m)
{
	uint64_t *row = calloc(m + 1, sizeof *row), length;

	for (size_t i = 0; i < n; i++) {
		uint64_t diagonal = 0;
		for (size_t k = 0; k < m; k++) {
			uint64_t above = row[k + 1];
			row[k + 1] = a[i] == b[k] ? diagonal + 1 : above > row[k] ? above : row[k];
			diagonal = above;
		}
	}
	length = row[m];
	free(row);
	return length;
}

static void lcs_equals_the_table(void **state)
{
	static uint8_t a[3000], b[3000];

	(void)state;
	for (int round = 0; round < 400; round++) {
		size_t n = next_random() % (round % 8 == 0 ? 3000 : 80);
		size_t m = next_random() % (round % 8 == 0 ? 3000 : 80);
		unsigned alphabet = 1U << (1 + round % 8);
		uint64_t length;
		for (size_t i = 0; i < n; i++)
			a[i] = (uint8_t)(next_random() % alphabet);
		for (size_t i = 0; i < m; i++) {
			if (round % 3 == 0 && i < n && next_random() % 50 != 0)
				b[i] = a[i];
			else
				b[i] = (uint8_t)(next_random() % alphabet);
		}
		assert_int_equal(simhash_lcs_bytes(a, n, b, m, 0, &length, &error), 0);
		assert_int_equal(length, lcs_plain(a, n, b, m));
	}
	/* Beyond its bound it says so. */
	for (size_t i = 0; i < sizeof a; i++) {
		a[i] = (uint8_t)next_random();
		b[i] = (uint8_t)next_random();
	}
	{
		uint64_t length;
		assert_int_equal(simhash_lcs_bytes(a, sizeof a, b, sizeof b, 1000, &length, &error),
				 -1);
		assert_int_equal(error.code, SIMHASH_E_RANGE);
	}
}

/* Long runs of the same make each difference dear: they count, too. */
static void lcs_is_bounded_on_sparse_contents(void **state)
{
	enum { SIZE = 2000000 };
	uint8_t *a = calloc(SIZE, 1), *b = calloc(SIZE, 1);
	uint64_t length;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		a[next_random() % SIZE] = (uint8_t)next_random();
		b[next_random() % SIZE] = (uint8_t)next_random();
	}
	assert_int_equal(simhash_lcs_bytes(a, SIZE, b, SIZE, 100000000, &length, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_RANGE);
	/* What is the same needs no steps. */
	assert_int_equal(simhash_lcs_bytes(a, SIZE, a, SIZE, 100, &length, &error), 0);
	assert_int_equal(length, SIZE);
	free(a);
	free(b);
}

static void lcs_of_lines_counts_lines(void **state)
{
	static char a[40000], b[40000];
	static uint8_t x[2000], y[2000];
	struct simhash_lcs_lines lines;

	(void)state;
	for (int round = 0; round < 60; round++) {
		size_t n = next_random() % 2000, m = next_random() % 2000, at = 0, to = 0;
		for (size_t i = 0; i < n; i++) {
			x[i] = (uint8_t)(next_random() % 200);
			at += (size_t)sprintf(a + at, "line %u\n", x[i]);
		}
		for (size_t i = 0; i < m; i++) {
			if (i < n && next_random() % 4 != 0)
				y[i] = x[i];
			else
				y[i] = (uint8_t)(next_random() % 256);
			to += (size_t)sprintf(b + to, "line %u\n", y[i]);
		}
		assert_int_equal(simhash_lcs_lines(a, at, b, to, 0, &lines, &error), 0);
		assert_int_equal(lines.lines_a, n);
		assert_int_equal(lines.lines_b, m);
		assert_int_equal(lines.common, lcs_plain(x, n, y, m));
	}
	/* A last line without a newline is another than with one. */
	assert_int_equal(simhash_lcs_lines("x\ny", 3, "x\ny\n", 4, 0, &lines, &error), 0);
	assert_int_equal(lines.common, 1);
}

static void overlap_counts_sets_and_bags(void **state)
{
	struct simhash_overlap o;

	(void)state;
	assert_int_equal(simhash_overlap("bytes=2", "aaab", 4, "aabb", 4, &o, &error), 0);
	/* aa aa ab; aa ab bb */
	assert_int_equal(o.a, 2);
	assert_int_equal(o.b, 3);
	assert_int_equal(o.both, 2);
	assert_int_equal(o.either, 3);
	assert_int_equal(o.bag_a, 3);
	assert_int_equal(o.bag_b, 3);
	assert_int_equal(o.bag_both, 2);
	assert_int_equal(o.bag_either, 4);
	assert_int_equal(simhash_overlap("words", "", 0, "", 0, &o, &error), 0);
	assert_int_equal(o.either, 0);
}

/* ---- Texts of measures ---- */

static void texts_are_canonical(void **state)
{
	static const struct {
		const char *text, *canonical;
	} cases[] = {
		{"simhash64", "simhash64:bytes=8"},
		{"simhash128:words", "simhash128:words=1"},
		{"minhash", "minhash:bytes=8,functions=128,cluster=4"},
		{"minhash:cluster=2,functions=64,words=3",
		 "minhash:words=3,functions=64,cluster=2"},
		{"bottomk:", "bottomk:bytes=8,k=64,cluster=4"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct simhash_measure *measure = measure_of(cases[i].text), *again;
		assert_string_equal(simhash_measure_text(measure), cases[i].canonical);
		again = measure_of(simhash_measure_text(measure));
		assert_string_equal(simhash_measure_text(again), cases[i].canonical);
		simhash_measure_free(again);
		simhash_measure_free(measure);
	}
	assert_string_equal(simhash_measure_name(0), "simhash64");
	assert_null(simhash_measure_name(4));
}

static void wrong_texts_say_what_was_expected(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"simhash", "expected simhash64, simhash128, minhash or bottomk"},
		{"", "unknown measure"},
		{"simhash64:functions=128", "has no parameter"},
		{"minhash:weights=/tmp", "has no parameter"},
		{"minhash:functions=100", "a power of two from 16 to 1024"},
		{"bottom:least=64", "bottom:least=N is now bottomk:k=N"},
		{"bottomk:k=4", "a number from 8 to 1024"},
		{"bottomk:k=8,cluster=9", "expected at most k=8"},
		{"minhash:bytes", "expected bytes=N"},
		{"minhash:bytes=65", "from 1 to 64"},
		{"minhash:words=17", "from 1 to 16"},
		{"minhash:words=2x", "from 1 to 16"},
		{"simhash64:weights=/etc/passwd", "has no parameter"},
	};
	static const char *const weights[] = {
		"x a\n",      "-1 a\n",	     "3\n",	   "3 a b\n",
		"3 \\q\n",    "1000001 a\n", "3 \\x\t4\n", "default 1\ndefault 2\n",
		"3 a\n4 a\n", "default x\n", "3 \n"};
	struct simhash_measure *measure;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(simhash_measure_new(cases[i].text, &measure, &error), -1);
		if (strstr(error.message, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].text, error.message);
	}
	for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
		struct simhash_weights *read;
		if (simhash_weights_parse(weights[i], strlen(weights[i]), "given", &read, &error) ==
			    0 &&
		    simhash_measure_new_weighted("simhash64:words", read, &measure, &error) == 0)
			fail_msg("weights '%s' are accepted", weights[i]);
		if (strstr(error.message, "given:") == NULL)
			fail_msg("%s", error.message);
		simhash_weights_free(read);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(four_words_pair_as_told),
		cmocka_unit_test(sum_of_three_features_as_told),
		cmocka_unit_test(longer_sentence_is_nearer_than_hashes),
		cmocka_unit_test(weights_bring_the_cats_together),
		cmocka_unit_test(bags_and_shingles_as_told),
		cmocka_unit_test(ngram_hashes_are_those_of_the_library),
		cmocka_unit_test(bits_are_counted),
		cmocka_unit_test(ascii_words_are_those_of_the_library),
		cmocka_unit_test(words_of_any_script),
		cmocka_unit_test(any_split_gives_the_same_sketch),
		cmocka_unit_test(simhash_is_the_sign_of_sums),
		cmocka_unit_test(weights_are_heeded),
		cmocka_unit_test(bottomk_is_the_smallest_hashes),
		cmocka_unit_test(minhash_is_that_of_all_draws),
		cmocka_unit_test(estimates_lie_where_their_deviation_says),
		cmocka_unit_test(sets_know_no_order),
		cmocka_unit_test(pairs_are_those_of_brute_force),
		cmocka_unit_test(crowded_sketches_lose_no_pair),
		cmocka_unit_test(hamming_search_equals_brute_force),
		cmocka_unit_test(hamming_queries_equal_brute_force),
		cmocka_unit_test(hamming_plan_grows_with_the_number),
		cmocka_unit_test(lcs_equals_the_table),
		cmocka_unit_test(lcs_is_bounded_on_sparse_contents),
		cmocka_unit_test(lcs_of_lines_counts_lines),
		cmocka_unit_test(overlap_counts_sets_and_bags),
		cmocka_unit_test(texts_are_canonical),
		cmocka_unit_test(wrong_texts_say_what_was_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

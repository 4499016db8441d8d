/*
 * Compares a list of pairs with a sort of the lines that the formatter writes: with memory for all
 * lines or few, in several threads, and with paths whose order in a line depends on the following
 * path.
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

#include "base/threads/threads.h"
#include "report/formats/formats.h"
#include "report/lists/listing.h"

#define FILES 60
#define PAIRS 9000
#define THREADS 3

static struct find_file files[FILES];
static char names[FILES][96];
static struct file_pair pairs[PAIRS];

struct expected {
	double key;
	char *line;
	size_t size;
};

static uint64_t random_number(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return *state >> 33;
}

static void name_files(const char *const *odd, size_t count)
{
	for (size_t i = 0; i < FILES; i++) {
		if (i < count)
			snprintf(names[i], sizeof names[i], "%s", odd[i]);
		else
			snprintf(names[i], sizeof names[i], "/folder/%zu/a name\x1b\\ %zu", i % 7,
				 i * 7919 % 1000);
		files[i] = (struct find_file){.host = 1 + (int64_t)i % 2,
					      .size_bytes = (int64_t)(1000 + i),
					      .display = names[i],
					      .display_size = (uint32_t)strlen(names[i])};
		memcpy(files[i].path_hash, &i, sizeof i);
	}
}

/* Pairs of all kinds. */
static void make_pairs(uint64_t seed)
{
	for (size_t i = 0; i < PAIRS; i++) {
		size_t a = random_number(&seed) % FILES, b = random_number(&seed) % FILES;
		struct file_pair *pair = &pairs[i];
		struct relation *relation;
		double share = (double)(random_number(&seed) % 10001) / 10000;
		*pair = (struct file_pair){
			.a = &files[a],
			.b = &files[b],
			.relation = {.distance = random_number(&seed) % 40, .resemblance = share}};
		relation = &pair->relation;
		switch (random_number(&seed) % 6) {
		case 0:
			relation->is_identical = true;
			relation->verification = PAIR_HASH;
			break;
		case 1:
			relation->verification = PAIR_SKETCH;
			relation->resemblance = (double)(random_number(&seed) % 65) / 64;
			break;
		case 2:
			relation->verification = PAIR_READ;
			break;
		case 3:
			relation->is_part = true;
			relation->verification = seed >> 40 & 1 ? PAIR_SKETCH : PAIR_READ;
			relation->contained_a = seed >> 41 & 1 ? share : -share;
			relation->contained_b = -relation->contained_a;
			break;
		case 4:
			relation->verification = PAIR_COUNTS;
			break;
		default:
			relation->verification = PAIR_UNVERIFIED;
		}
	}
}

static int compare_expected(const void *x, const void *y)
{
	const struct expected *a = x, *b = y;
	int order = (a->key > b->key) - (a->key < b->key);

	if (order == 0)
		order = memcmp(a->line, b->line, a->size < b->size ? a->size : b->size);
	return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

static char *line_of(const struct file_pair *pair, size_t *size)
{
	static const struct presentation plain = {.has_marks = false};
	char *line;
	FILE *out = open_memstream(&line, size);

	formatter_text.pair(out, pair, &plain);
	fclose(out);
	return line;
}

/* The sorted lines. */
static char *expected_text(size_t *size)
{
	struct expected *expected = calloc(PAIRS, sizeof *expected);
	char *text;
	FILE *out = open_memstream(&text, size);

	assert_non_null(expected);
	for (size_t i = 0; i < PAIRS; i++) {
		expected[i].line = line_of(&pairs[i], &expected[i].size);
		expected[i].key = pair_similarity_key(&pairs[i]);
	}
	qsort(expected, PAIRS, sizeof *expected, compare_expected);
	for (size_t i = 0; i < PAIRS; i++) {
		fwrite(expected[i].line, 1, expected[i].size, out);
		free(expected[i].line);
	}
	fclose(out);
	free(expected);
	return text;
}

struct adder {
	struct listing *listing;
	unsigned thread, threads;
	bool failed;
};

static void *add_some(void *context)
{
	struct adder *adder = context;
	struct simhash_error error;

	for (size_t i = adder->thread; i < PAIRS; i += adder->threads)
		if (listing_add(adder->listing, adder->thread, &pairs[i], &error) != 0)
			adder->failed = true;
	return NULL;
}

static char *listed_text(unsigned threads, int64_t memory_bytes, size_t *size)
{
	struct adder adders[THREADS];
	struct listing listing;
	struct simhash_error error;
	char *text;
	FILE *out = open_memstream(&text, size);

	assert_int_equal(listing_open(&listing, "/dev/null", formatter_find("text"), threads,
				      memory_bytes, NULL, &error),
			 0);
	listing.file = out;
	for (unsigned i = 0; i < threads; i++)
		adders[i] = (struct adder){.listing = &listing, .thread = i, .threads = threads};
	threads_run(threads, add_some, adders, sizeof *adders);
	for (unsigned i = 0; i < threads; i++)
		assert_false(adders[i].failed);
	assert_int_equal(listing_write(&listing, &error), 0);
	assert_true(listing.written == PAIRS && listing.left_out == 0);
	fclose(out);
	listing_release(&listing);
	return text;
}

static void check(const char *const *odd, size_t odd_count)
{
	static const int64_t memories[] = {32 << 20, 400000, 20000};

	name_files(odd, odd_count);
	for (unsigned threads = 1; threads <= THREADS; threads++)
		for (size_t m = 0; m < sizeof memories / sizeof *memories; m++) {
			size_t wanted_size, size;
			char *wanted, *text;
			make_pairs(threads * 10 + m);
			wanted = expected_text(&wanted_size);
			text = listed_text(threads, memories[m], &size);
			assert_int_equal(size, wanted_size);
			assert_memory_equal(text, wanted, size);
			free(text);
			free(wanted);
		}
}

static void pairs_come_by_key_and_line(void **state)
{
	static const char *const odd[] = {"/a",	   "/a b",	"/a!", "/a/b", "/a/b c", "web:/a",
					  "/\xff", "/\xc3\xa9", "-",   "/a\n", "/aa"};

	(void)state;
	check(odd, 0);
	check(odd, sizeof odd / sizeof *odd);
}

/* Which of the two comes first depends on the path that follows. */
static void paths_may_go_on_behind_a_gap(void **state)
{
	static const char *const gap[] = {"/a", "/a  b"}, *const blank[] = {"/a", "/a "},
				 *const twice[] = {"/a", "/a"};

	(void)state;
	check(gap, 2);
	check(blank, 2);
	check(twice, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pairs_come_by_key_and_line),
		cmocka_unit_test(paths_may_go_on_behind_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

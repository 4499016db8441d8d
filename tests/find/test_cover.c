/*
 * Compares the cover of one file by another with a simple version that searches the longest match
 * at every byte, in memory and with files read piece by piece.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "data.h"
#include "find/reading/cover.h"

static uint64_t random_state = 5;

static size_t random_below(size_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return limit == 0 ? 0 : (size_t)(random_state >> 33) % limit;
}

/*
 * The bytes of b in any stretch of at least `least` bytes that also occurs in a. It compares b with
 * a at every shift, so that every common stretch is found.
 */
static size_t naive_cover(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
			  size_t least)
{
	uint8_t *covered = calloc(b_size + 1, 1);
	size_t count = 0;

	for (size_t shift = 0; shift < a_size + b_size; shift++) {
		/* b[i] is compared with a[i + shift - b_size] */
		size_t begin = shift < b_size ? b_size - shift : 0, run = 0;
		for (size_t i = begin; i <= b_size; i++) {
			size_t at = i + shift - b_size;
			if (i < b_size && at < a_size && a[at] == b[i]) {
				run++;
				continue;
			}
			if (run >= least)
				memset(covered + i - run, 1, run);
			run = 0;
			if (at >= a_size)
				break;
		}
	}
	for (size_t i = 0; i < b_size; i++)
		count += covered[i];
	free(covered);
	return count;
}

static struct cover_source in_memory(const uint8_t *bytes, size_t size)
{
	return (struct cover_source){.bytes = bytes, .fd = -1, .size = size};
}

static struct cover_source in_file(const uint8_t *bytes, size_t size)
{
	struct cover_source source = {.fd = -1, .size = size};
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fflush(file), 0);
	source.fd = dup(fileno(file));
	source.window = malloc(COVER_BUFFER_BYTES);
	assert_non_null(source.window);
	fclose(file);
	return source;
}

static void close_source(struct cover_source *source)
{
	if (source->fd >= 0)
		close(source->fd);
	free(source->window);
}

static size_t cover(struct cover_source a, struct cover_source b, double needed)
{
	struct simhash_error error;
	struct cover_index index;
	size_t covered;

	assert_int_equal(cover_index_init(&index, &a, &error), 0);
	covered = cover_measure(&index, &a, &b, needed);
	assert_int_equal(a.failed, 0);
	assert_int_equal(b.failed, 0);
	cover_index_release(&index);
	close_source(&a);
	close_source(&b);
	return covered;
}

/*
 * All bytes found must be in common stretches, or bridge them across single different bytes. All
 * bytes in long stretches must be found, except around such single bytes.
 */
static void compare(const char *what, const uint8_t *a, size_t a_size, const uint8_t *b,
		    size_t b_size)
{
	size_t small = a_size < 4096;
	size_t found = cover(in_memory(a, a_size), in_memory(b, b_size), 0);
	size_t again = cover(in_file(a, a_size), in_file(b, b_size), 0);
	size_t most = naive_cover(a, a_size, b, b_size, 4);
	size_t least = naive_cover(a, a_size, b, b_size, small ? 16 : 40);

	assert_int_equal(found, again);
	/*
	 * A common beginning of any length counts, and a bridge may include bytes that are equal by
	 * chance.
	 */
	if (found > most + most / 50 + 16 || found + least / 20 + 8 < least)
		fail_msg("%s: found %zu, naive %zu to %zu of %zu", what, found, least, most,
			 b_size);
}

/* A copy with pieces overwritten, inserted, removed and moved. */
static size_t edit(const uint8_t *from, size_t size, uint8_t *to, int kind)
{
	size_t cut = random_below(size + 1), length = random_below(size / 10 + 2);

	if (cut + length > size)
		length = size - cut;
	memcpy(to, from, size);
	switch (kind) {
	case 0: /* overwrite single bytes */
		for (size_t n = size / 100 + 1; n > 0 && size > 0; n--)
			to[random_below(size)] ^= 0x55;
		return size;
	case 1: /* overwrite a block */
		for (size_t i = 0; i < length; i++)
			to[cut + i] = (uint8_t)random_below(256);
		return size;
	case 2: /* insert */
		memmove(to + cut + length, to + cut, size - cut);
		for (size_t i = 0; i < length; i++)
			to[cut + i] = (uint8_t)random_below(256);
		return size + length;
	case 3: /* remove */
		memmove(to + cut, to + cut + length, size - cut - length);
		return size - length;
	default: /* exchange the two ends */
		memcpy(to, from + cut, size - cut);
		memcpy(to + (size - cut), from, cut);
		return size;
	}
}

static void edits_are_covered_as_naively(void **state)
{
	static const size_t sizes[] = {0, 1, 7, 8, 15, 16, 40, 300, 2000, 4095, 5000};
	static uint8_t a[10000], b[20000];
	char what[80];

	(void)state;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		/* All kinds of data if this is fast, and otherwise four of them. */
		for (int data = 0; data < (sizes[s] < 1000 ? DATA_KINDS : DATA_ZEROS); data++)
			for (int kind = 0; kind < 5; kind++) {
				size_t b_size;
				data_fill((enum data_kind)data, a, sizes[s]);
				b_size = edit(a, sizes[s], b, kind);
				snprintf(what, sizeof what, "size %zu, data %d, edit %d", sizes[s],
					 data, kind);
				compare(what, a, sizes[s], b, b_size);
				compare(what, b, b_size, a, sizes[s]);
			}
}

static void unrelated_bytes_are_not_covered(void **state)
{
	static uint8_t a[300000], b[300000];

	(void)state;
	for (size_t i = 0; i < sizeof a; i++) {
		a[i] = (uint8_t)random_below(256);
		b[i] = (uint8_t)random_below(256);
	}
	assert_true(cover(in_memory(a, sizeof a), in_memory(b, sizeof b), 0) < 16);
	/* The sample of places agrees, and does not hide real matches. */
	assert_true(cover(in_memory(a, sizeof a), in_memory(b, sizeof b), 0.9 * sizeof b) <
		    sizeof b / 10);
	memcpy(b + 1000, a + 3000, 280000);
	assert_true(cover(in_memory(a, sizeof a), in_memory(b, sizeof b), 0.9 * sizeof b) >=
		    280000);
	assert_true(cover(in_file(a, sizeof a), in_file(b, sizeof b), 0.9 * sizeof b) >= 280000);
}

/* 40 MB, so that windows move and indexed positions are far apart. */
static void large_files_are_covered(void **state)
{
	size_t size = 40000000, found;
	uint8_t *a = malloc(size), *b = malloc(size);

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	for (size_t i = 0; i < size; i++)
		a[i] = (uint8_t)(random_below(1 << 16) >> 3);
	memcpy(b, a + 20000000, 20000000);
	memcpy(b + 20000000, a, 20000000);
	for (size_t i = 5000000; i < 5100000; i++)
		b[i] ^= 0xff;
	found = cover(in_file(a, size), in_file(b, size), 0);
	assert_in_range(found, 39900000 - 2000, 39900000 + 1000);
	assert_int_equal(found, cover(in_memory(a, size), in_memory(b, size), 0));
	free(a);
	free(b);
}

/* Words such that any two neighbours form a window with the same slot. */
static void fill_with_collisions(uint8_t *bytes, size_t size)
{
	uint64_t word = 1, inverse = 1;

	for (int i = 0; i < 6; i++) /* the inverse of the second factor, by Newton's iteration */
		inverse *= 2 - UINT64_C(0xd6e8feb86659fd93) * inverse;
	for (size_t i = 0; i + 8 <= size; i += 8) {
		uint64_t first = word * UINT64_C(0x9fb21c651e98df25), half = random_below(1u << 31);
		memcpy(bytes + i, &word, 8);
		/* Both halves of the hash are equal, so that its low bits become 0. */
		word = (half << 32 | half) * inverse ^ first ^ first >> 35;
	}
}

static void windows_made_to_collide_take_no_longer(void **state)
{
	static uint8_t a[1 << 22], b[1 << 22];
	clock_t begin = clock();

	(void)state;
	fill_with_collisions(a, sizeof a);
	memcpy(b, a + 800, sizeof b - 800);
	cover(in_memory(a, sizeof a), in_memory(b, sizeof b), 0);
	/* It took minutes when each window was compared with all earlier ones. */
	assert_in_range((clock() - begin) / CLOCKS_PER_SEC, 0, 30);
}

static void a_file_that_ends_too_soon_is_told(void **state)
{
	static uint8_t bytes[10000];
	struct cover_source a = in_file(bytes, sizeof bytes), b = in_file(bytes, 5000);
	struct simhash_error error;
	struct cover_index index;

	(void)state;
	b.size = sizeof bytes; /* the size when it was opened */
	assert_false(cover_equal(&a, &b));
	assert_int_equal(b.failed, -1);
	b.failed = 0;
	b.window_size = 0;
	memset(b.page_size, 0, sizeof b.page_size);
	assert_int_equal(cover_index_init(&index, &a, &error), 0);
	cover_measure(&index, &a, &b, 0);
	assert_int_equal(b.failed, -1);
	cover_index_release(&index);
	close_source(&a);
	close_source(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edits_are_covered_as_naively),
		cmocka_unit_test(unrelated_bytes_are_not_covered),
		cmocka_unit_test(large_files_are_covered),
		cmocka_unit_test(windows_made_to_collide_take_no_longer),
		cmocka_unit_test(a_file_that_ends_too_soon_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

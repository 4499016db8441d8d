/*
 * Compares the search for passages with simple versions that look at every place: all regions of
 * random streams in pieces of any size, and the places of texts with other white space, of bytes
 * with zeros and of UTF-16, around the ends of the blocks that are read.
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

#include "find/reading/passage_content.h"

#define SHINGLE 16

static uint64_t random_state = 7;

static size_t random_below(size_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return limit == 0 ? 0 : (size_t)(random_state >> 33) % limit;
}

static void random_bytes(uint8_t *bytes, size_t size, size_t letters)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] =
			(uint8_t)(letters > 200 ? random_below(256) : 'a' + random_below(letters));
}

/* Writes a few runs of one letter, which are searched in another way. */
static void put_runs(uint8_t *bytes, size_t size)
{
	for (size_t runs = random_below(4); runs > 0 && size > 0; runs--) {
		size_t at = random_below(size), count = random_below(70);
		memset(bytes + at, 'a', count < size - at ? count : size - at);
	}
}

/* ---- The densest region ---- */

static size_t first_place(const uint8_t *passage, size_t size, const uint8_t *shingle)
{
	for (size_t i = 0; i + SHINGLE <= size; i++)
		if (memcmp(passage + i, shingle, SHINGLE) == 0)
			return i;
	return SIZE_MAX;
}

/* Looks at all ends and, for each end, at all beginnings. */
static struct passage_region naive_region(const uint8_t *passage, size_t size,
					  const uint8_t *stream, size_t stream_size)
{
	struct passage_region best = {0, 0, 0, 0};
	size_t *places = malloc((stream_size + 1) * sizeof *places);
	size_t *seen = malloc((size + 1) * sizeof *seen), run = 1;

	for (size_t i = 0; i <= size; i++)
		seen[i] = 0;
	for (size_t end = SHINGLE; end <= stream_size; end++) {
		uint32_t different = 0;
		run++;
		places[end - SHINGLE] = first_place(passage, size, stream + end - SHINGLE);
		if (places[end - SHINGLE] == SIZE_MAX)
			continue;
		best.seen += seen[places[end - SHINGLE]] == 0;
		seen[places[end - SHINGLE]] = 1;
		for (size_t begin = end - SHINGLE; end - begin <= 2 * size; begin--) {
			size_t place = places[begin];
			if (place != SIZE_MAX && seen[place] != run) {
				seen[place] = run;
				different++;
				if (different > best.shared ||
				    (different == best.shared &&
				     end - begin < best.end - best.begin))
					best = (struct passage_region){begin, end, different,
								       best.seen};
			}
			if (begin == 0)
				break;
		}
	}
	free(places);
	free(seen);
	return best;
}

/* Scans a stream in pieces of at most `piece` bytes. */
static void scan(struct passage_scan *scan, const uint8_t *stream, size_t size, size_t piece)
{
	struct simhash_error error;

	passage_scan_begin(scan);
	for (size_t at = 0; at < size;) {
		size_t room, now = 1 + random_below(piece);
		uint8_t *out = passage_scan_room(scan, &room);
		assert_true(room >= 65536);
		now = now < size - at ? now : size - at;
		memcpy(out, stream + at, now);
		assert_int_equal(passage_scan_add(scan, now, &error), 0);
		at += now;
	}
	assert_int_equal(passage_scan_end(scan, &error), 0);
}

static void check_region(const struct passage_scan *scan, size_t number, const uint8_t *passage,
			 size_t size, const uint8_t *stream, size_t stream_size)
{
	struct passage_region wanted = naive_region(passage, size, stream, stream_size);
	const struct passage_region *found = passage_scan_region(scan, number);

	if (wanted.shared == 0) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_int_equal(found->shared, wanted.shared);
	assert_int_equal(found->seen, wanted.seen);
	assert_int_equal(found->begin, wanted.begin);
	assert_int_equal(found->end, wanted.end);
}

#define PASSAGES 3

static void finds_the_region_of_a_naive_search(void **state)
{
	static const size_t letters[] = {1, 2, 3, 26, 256};
	uint8_t passages[PASSAGES][400], stream[1600];
	size_t sizes[PASSAGES];

	(void)state;
	for (int round = 0; round < 1500; round++) {
		struct passages set = {.count = 0};
		struct passage_scan all;
		struct simhash_error error;
		size_t kind = letters[random_below(5)], size = random_below(sizeof stream);
		for (size_t p = 0; p < PASSAGES; p++) {
			/* Every length from 16 bytes up, and shorter ones */
			sizes[p] = p == 0 ? 10 + (size_t)round % 300 : 1 + random_below(400);
			random_bytes(passages[p], sizes[p], kind);
			put_runs(passages[p], sizes[p]);
			assert_int_equal(passages_add(&set, passages[p], sizes[p], &error), 0);
		}
		assert_int_equal(passages_end(&set, &error), 0);
		random_bytes(stream, size, kind);
		put_runs(stream, size);
		for (size_t part = random_below(6); part > 0; part--) {
			size_t p = random_below(PASSAGES), from = random_below(sizes[p]);
			size_t count = random_below(sizes[p] - from + 1), at;
			count = count < size ? count : size;
			at = random_below(size - count + 1);
			memcpy(stream + at, passages[p] + from, count);
		}
		assert_int_equal(passage_scan_init(&all, &set, &error), 0);
		for (int times = 0; times < 2; times++) {
			scan(&all, stream, size, times == 0 ? 40 : 2000);
			for (size_t p = 0; p < PASSAGES; p++)
				check_region(&all, p, passages[p], sizes[p], stream, size);
		}
		passage_scan_release(&all);
		passages_release(&set);
	}
}

/* ---- The place in a content ---- */

struct content {
	uint8_t *bytes;
	size_t size, capacity;
};

static void put(struct content *content, const void *bytes, size_t size)
{
	if (content->size + size > content->capacity) {
		content->capacity = 2 * (content->size + size);
		content->bytes = realloc(content->bytes, content->capacity);
		assert_non_null(content->bytes);
	}
	if (size > 0)
		memcpy(content->bytes + content->size, bytes, size);
	content->size += size;
}

static void put_blank(struct content *content, bool varies)
{
	static const char *const blanks[] = {" ", "\n", "\r\n", "\n\n\t\t", "   ", "\t", "\n    "};

	const char *blank = blanks[varies ? random_below(7) : 0];

	put(content, blank, strlen(blank));
}

static void put_words(struct content *content, size_t size, bool varies)
{
	for (size_t end = content->size + size; content->size < end;) {
		uint8_t word[12];
		size_t letters = 1 + random_below(sizeof word);
		random_bytes(word, letters, 26);
		put(content, word, letters);
		put_blank(content, varies);
	}
}

/* Writes the words of a text again, with other white space. */
static void put_again(struct content *content, const struct content *text)
{
	for (size_t i = 0; i < text->size; i++)
		if (text->bytes[i] > ' ')
			put(content, &text->bytes[i], 1);
		else if (i + 1 < text->size && text->bytes[i + 1] > ' ')
			put_blank(content, true);
}

static int64_t line_of(const struct content *content, size_t at)
{
	int64_t line = 1;

	for (size_t i = 0; i < at; i++)
		line += content->bytes[i] == '\n';
	return line;
}

/* Finds a passage in a content in memory and, again, in a file. */
static int search(const struct content *passage, const struct content *content, bool in_file,
		  struct part_place *place, double *share)
{
	struct passage_set set = {.count = 0};
	struct passage_search search;
	struct cover_source source = {.bytes = content->bytes, .fd = -1, .size = content->size};
	struct simhash_error error;
	uint8_t *bytes = malloc(passage->size + 1);
	FILE *file = NULL;
	int status;

	assert_non_null(bytes);
	memcpy(bytes, passage->bytes, passage->size);
	assert_int_equal(passage_set_add(&set, bytes, passage->size, &error), 0);
	assert_int_equal(passage_set_end(&set, &error), 0);
	if (in_file) {
		file = tmpfile();
		assert_non_null(file);
		assert_int_equal(fwrite(content->bytes, 1, content->size, file), content->size);
		assert_int_equal(fflush(file), 0);
		source.bytes = NULL;
		source.fd = fileno(file);
	}
	assert_int_equal(passage_search_init(&search, &set, &error), 0);
	assert_int_equal(passage_search_run(&search, &source, &error), 0);
	assert_int_equal(source.failed, 0);
	status = passage_search_place(&search, 0, place, share, &error);
	passage_search_release(&search);
	passage_set_release(&set);
	if (file != NULL)
		fclose(file);
	return status;
}

static void check_place(const struct content *passage, const struct content *content, size_t begin,
			size_t end, bool is_text, double least)
{
	for (int in_file = 0; in_file < 2; in_file++) {
		struct part_place place = {.begin = -1};
		double share = -1;
		assert_int_equal(search(passage, content, in_file, &place, &share), 1);
		assert_true(share >= least && share <= 1);
		assert_int_equal(place.begin, begin);
		assert_int_equal(place.end, end);
		assert_int_equal(place.first_line, is_text ? line_of(content, begin) : 0);
		assert_int_equal(place.last_line, is_text ? line_of(content, end - 1) : 0);
	}
}

/* Sizes of what comes before a passage, around the ends of blocks. */
static size_t before_of(int round)
{
	static const size_t blocks[] = {0, 64, 2048, 4096, 65536, 131072, 262144, 262176};
	size_t block = blocks[random_below(8)], back = random_below(600);

	return round % 3 == 0 ? random_below(5000) : block > back ? block - back : block;
}

static void finds_texts_with_other_white_space(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct content text = {.size = 0}, content = {.size = 0};
		size_t begin, end;
		put_words(&text, 30 + random_below(900), random_below(2) == 0);
		put_words(&content, before_of(round), random_below(2) == 0);
		begin = content.size;
		put_again(&content, &text);
		end = content.size;
		/* No blank at the end belongs to the passage, and none follows at once. */
		put(&content, "\n", random_below(2));
		put_words(&content, random_below(3000), true);
		/* The next word may continue the passage by chance only after a blank. */
		if (content.size > end && content.bytes[end] > ' ')
			content.bytes[end] = '#';
		check_place(&text, &content, begin, end, true, 1);
		free(text.bytes);
		free(content.bytes);
	}
}

static void finds_bytes_with_zeros(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct content part = {.size = 0}, content = {.size = 0};
		size_t size = 16 + (size_t)round, before = before_of(round),
		       after = random_below(5000);
		uint8_t *bytes = malloc(before + size + after + 4096);
		assert_non_null(bytes);
		random_bytes(bytes, size, 256);
		memset(bytes, 0, size < 64 ? 2 : 20);
		put(&part, bytes, size);
		random_bytes(bytes, before, 256);
		put(&content, bytes, before);
		put(&content, part.bytes, part.size);
		random_bytes(bytes, after, 256);
		put(&content, bytes, after);
		/* The neighbours must not continue the passage. */
		if (before > 0)
			content.bytes[before - 1] = 1;
		check_place(&part, &content, before, before + size, false, 1);
		free(part.bytes);
		free(content.bytes);
		free(bytes);
	}
}

static void finds_a_text_in_utf_16(void **state)
{
	(void)state;
	for (int round = 0; round < 100; round++) {
		struct content text = {.size = 0}, wide = {.size = 0};
		struct part_place place;
		size_t begin, line = 1;
		double share;
		bool is_big = round % 2 == 1;
		put_words(&text, 2000 + before_of(round), true);
		begin = text.size;
		put_words(&text, 400, true);
		put_words(&text, 800, true);
		put(&wide, is_big ? "\xfe\xff" : "\xff\xfe", 2);
		for (size_t i = 0; i < text.size; i++) {
			uint8_t unit[2] = {is_big ? 0 : text.bytes[i], is_big ? text.bytes[i] : 0};
			put(&wide, unit, 2);
			line += i < begin && text.bytes[i] == '\n';
		}
		memmove(text.bytes, text.bytes + begin, 400);
		text.size = 400;
		while (text.bytes[text.size - 1] <= ' ')
			text.size--;
		assert_int_equal(search(&text, &wide, round % 4 < 2, &place, &share), 1);
		assert_true(share >= 1);
		assert_int_equal(place.begin, 2 + 2 * begin);
		assert_int_equal(place.end, 2 + 2 * (begin + text.size));
		assert_int_equal(place.first_line, line);
		free(text.bytes);
		free(wide.bytes);
	}
}

/* Three words are changed; all stretches of 16 bytes between them are found. */
static void finds_changed_texts(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct content text = {.size = 0}, content = {.size = 0};
		struct part_place place;
		size_t kept = 0, run = 0;
		double share;
		put_words(&content, before_of(round), true);
		put_words(&text, 500, false);
		put(&content, text.bytes, text.size);
		put_words(&content, 3000, true);
		for (int change = 0; change < 3; change++)
			text.bytes[random_below(text.size)] = (uint8_t)('0' + change);
		for (size_t i = 0; i <= text.size; i++) {
			bool is_kept = i < text.size &&
				       (text.bytes[i] < '0' || text.bytes[i] > '9');
			run = is_kept ? run + 1 : 0;
			kept += run == SHINGLE ? SHINGLE : run > SHINGLE;
		}
		assert_int_equal(search(&text, &content, false, &place, &share), 1);
		assert_true(share * (double)text.size >= (double)kept - 1);
		assert_true(share < 1);
		free(text.bytes);
		free(content.bytes);
	}
}

static void finds_no_strangers(void **state)
{
	(void)state;
	for (int round = 0; round < 300; round++) {
		struct content text = {.size = 0}, content = {.size = 0};
		struct part_place place;
		double share;
		put_words(&text, 16 + random_below(2000), true);
		put_words(&content, random_below(300000), true);
		assert_int_equal(search(&text, &content, round % 2 == 0, &place, &share), 0);
		free(text.bytes);
		free(content.bytes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_region_of_a_naive_search),
		cmocka_unit_test(finds_texts_with_other_white_space),
		cmocka_unit_test(finds_bytes_with_zeros),
		cmocka_unit_test(finds_a_text_in_utf_16),
		cmocka_unit_test(finds_changed_texts),
		cmocka_unit_test(finds_no_strangers),
	};

	return cmocka_run_group_tests_name("passages", tests, NULL, NULL);
}

/*
 * Compares sketches with resemblance_vectors.txt and pieces with pieces_vectors.txt, which explain
 * their lines.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/resemblance.h"
#include "data.h"

static struct simhash_error error;

/* Character i of a text, from the next random byte. */
static uint8_t random_character(void)
{
	uint8_t u = data_random_byte();

	return u < 32 ? ' ' : u < 40 ? '\n' : u < 44 ? '\t' : (uint8_t)('a' + u % 26);
}

static size_t put_character(uint64_t form, uint8_t c, uint8_t *bytes)
{
	if (form == 5 || form == 6) {
		bytes[form == 5 ? 0 : 1] = c;
		bytes[form == 5 ? 1 : 0] = 0;
		return 2;
	}
	if (form == 1 && c == '\n') {
		bytes[0] = '\r';
		bytes[1] = '\n';
		return 2;
	}
	bytes[0] = form == 2 && c == '\n'  ? '\r'
		   : form == 3 && c == ' ' ? '\t'
		   : form == 7 && c > ' '  ? (uint8_t)(c + 128)
					   : c;
	return 1;
}

static size_t generate_text(uint64_t form, size_t characters, uint8_t *bytes)
{
	static const char *const marks[] = {
		[4] = "\xEF\xBB\xBF", [5] = "\xFF\xFE", [6] = "\xFE\xFF", [7] = NULL};
	size_t size = 0;

	if (form < 8 && marks[form] != NULL)
		size = (size_t)sprintf((char *)bytes, "%s", marks[form]);
	for (size_t i = 0; i < characters; i++)
		size += put_character(form, random_character(), bytes + size);
	return size;
}

/* Returns the size in bytes. */
static size_t generate(const char *name, uint64_t a, uint64_t b, size_t size, uint8_t *bytes)
{
	data_seed(a);
	if (strcmp(name, "text") == 0)
		return generate_text(b, size, bytes);
	if (strcmp(name, "nul") == 0) {
		generate_text(0, size, bytes);
		memset(bytes + 4096 - b, 0, b);
		return size;
	}
	for (size_t i = 0; i < size; i++)
		bytes[i] = strcmp(name, "random") == 0 ? data_random_byte() : (uint8_t)(i * a + b);
	return size;
}

static void sketch_gives_known_answers(void **state)
{
	static const uint8_t no_text[SIMHASH_RESEMBLANCE_TEXT];
	FILE *vectors = fopen(RESEMBLANCE_VECTORS, "r");
	char line[600], name[16], hex[289], actual[289];
	unsigned lines = 0, texts = 0;

	(void)state;
	assert_non_null(vectors);
	while (fgets(line, sizeof line, vectors) != NULL) {
		struct simhash_resemblance_sketch sketch;
		const uint8_t *stored = (const uint8_t *)&sketch;
		bool is_text;
		uint64_t a, b;
		size_t size;
		uint8_t *bytes;
		if (line[0] == '#')
			continue;
		assert_int_equal(sscanf(line, "%15s %" SCNu64 " %" SCNu64 " %zu %288s", name, &a,
					&b, &size, hex),
				 5);
		bytes = malloc(2 * size + 4);
		size = generate(name, a, b, size, bytes);
		simhash_resemblance_sketch_compute(bytes, size, &sketch);
		is_text = memcmp(sketch.text, no_text, sizeof no_text) != 0;
		for (size_t i = 0; i < (is_text ? sizeof sketch : sizeof sketch.registers); i++)
			snprintf(actual + 2 * i, 3, "%02x", stored[i]);
		if (strcmp(actual, hex) != 0)
			fail_msg("%.40s: %s", line, actual);
		free(bytes);
		lines++;
		texts += is_text;
	}
	assert_true(lines >= 50 && texts >= 20);
	fclose(vectors);
}

/* Compare the pieces of a content with their stored form in hexadecimal. */
static void expect_pieces(const uint8_t *bytes, size_t size, struct piece_levels levels,
			  const char *hex)
{
	static uint8_t stored[PIECES_STORED_MAX(1000)];
	char actual[2 * sizeof stored + 1] = "-";
	struct piece_collector collector = {.count = 0};
	struct simhash_resemblance_scanner *scanner;
	struct simhash_resemblance_sketch sketch;
	struct content_pieces pieces;
	size_t stored_size;

	assert_int_equal(simhash_resemblance_scanner_new(&scanner, &error), 0);
	resemblance_scanner_collect(scanner, &collector, levels);
	resemblance_scanner_compute(scanner, bytes, size, &sketch);
	assert_true(piece_collector_finish(&collector, &pieces));
	assert_true(pieces.count <= 1000);
	stored_size = pieces.count == 0 ? 0 : content_pieces_store(&pieces, stored);
	for (size_t i = 0; i < stored_size; i++)
		snprintf(actual + 2 * i, 3, "%02x", stored[i]);
	assert_string_equal(actual, hex);
	simhash_resemblance_scanner_free(scanner);
	piece_collector_release(&collector);
}

static void pieces_give_known_answers(void **state)
{
	FILE *vectors = fopen(PIECES_VECTORS, "r");
	char line[8000], name[16], hex[7801];
	unsigned lines = 0;

	(void)state;
	assert_non_null(vectors);
	while (fgets(line, sizeof line, vectors) != NULL) {
		struct piece_levels levels = {.small = false};
		uint64_t a, b;
		size_t size, count;
		uint8_t *bytes;
		if (line[0] == '#')
			continue;
		assert_int_equal(sscanf(line, "%15s %" SCNu64 " %" SCNu64 " %zu %u %u %zu %7800s",
					name, &a, &b, &size, &levels.text, &levels.other, &count,
					hex),
				 8);
		bytes = malloc(2 * size + 4);
		size = generate(name, a, b, size, bytes);
		expect_pieces(bytes, size, levels, hex);
		free(bytes);
		lines++;
	}
	assert_true(lines >= 25);
	fclose(vectors);
}

static int set_up(void **state)
{
	const char *kernel = getenv("SIMHASH_KERNEL");

	(void)state;
	return kernel == NULL ? 0 : simhash_kernel_select(kernel, &error);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(sketch_gives_known_answers),
					   cmocka_unit_test(pieces_give_known_answers)};

	return cmocka_run_group_tests(tests, set_up, NULL);
}

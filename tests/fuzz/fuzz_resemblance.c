/*
 * Compares resemblance sketches and pieces with the reference: every kernel of this machine, over
 * streams cut anywhere and, for the bytes of a content as they are, merged from parts. Also reads
 * any bytes as the stored form of pieces.
 * SPDX-License-Identifier: MIT
 */
#include "core/resemblance.h"
#include "fuzz.h"
#include "reference_resemblance.h"
#include "simhash.h"

#define BYTES_MAX 90000 /* enough for the level of a stream to become known */
#define CUTS_MAX 15

static const char *const names[] = {"portable", "avx2", "avx512", "avx512vbmi", "neon"};

#define NAMES (sizeof names / sizeof *names)

static const char *kernels[NAMES]; /* the kernels of this machine */
static size_t kernel_count;
static struct simhash_resemblance_scanner *scanner;
static struct piece_collector collector;
static uint64_t values[PIECES_MAX];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct simhash_error error;

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < NAMES; i++)
		if (simhash_kernel_select(names[i], &error) == 0)
			kernels[kernel_count++] = names[i];
	EXPECT(simhash_resemblance_scanner_new(&scanner, &error) == 0);
	return 0;
}

static void use_kernel(size_t number)
{
	struct simhash_error error;

	EXPECT(simhash_kernel_select(kernels[number % kernel_count], &error) == 0);
}

static void expect_sketch(const struct simhash_resemblance_sketch *sketch,
			  const uint8_t expected[144])
{
	struct simhash_resemblance_sketch loaded;

	EXPECT(memcmp(sketch, expected, 144) == 0);
	EXPECT(resemblance_load(sketch, resemblance_stored_size(sketch), &loaded));
	EXPECT(memcmp(sketch, &loaded, sizeof loaded) == 0);
}

/* The memory has exactly this size, so that reading a byte before or after it is noticed. */
static uint8_t *copy_of(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = malloc(size > 0 ? size : 1);

	EXPECT(copy != NULL);
	memcpy(copy, bytes, size);
	return copy;
}

static void expect_sketch_of_whole(const uint8_t *bytes, size_t size, size_t kernel,
				   const uint8_t expected[144])
{
	struct simhash_resemblance_sketch sketch;
	uint8_t *copy = copy_of(bytes, size);

	use_kernel(kernel);
	simhash_resemblance_sketch_compute(copy, size, &sketch);
	expect_sketch(&sketch, expected);
	free(copy);
}

static void expect_sketch_of_pieces(const uint8_t *bytes, size_t size, size_t piece,
				    const uint8_t expected[144])
{
	struct resemblance_registers all, registers;
	struct simhash_resemblance_sketch sketch;

	resemblance_begin(&all);
	for (size_t i = 0; i < size; i += piece) {
		size_t rest = size - i, part = piece + SHINGLE_OVERLAP;
		uint8_t *copy = copy_of(bytes + i, rest < part ? rest : part);
		use_kernel(i / piece);
		resemblance_begin(&registers);
		resemblance_add(&registers, resemblance_level(size), i, copy,
				rest < part ? rest : part);
		resemblance_merge(&all, &registers);
		free(copy);
	}
	resemblance_finish(&all, &sketch);
	expect_sketch(&sketch, expected);
}

static void expect_sketch_of_stream(const uint8_t *bytes, size_t size, const size_t *cuts,
				    size_t cut_count, const uint8_t expected[144])
{
	struct simhash_resemblance_sketch sketch;

	simhash_resemblance_scanner_begin(scanner);
	for (size_t i = 0, begin = 0; i <= cut_count; i++) {
		size_t rest = size - begin;
		size_t part = i == cut_count || cuts[i] > rest ? rest : cuts[i];
		uint8_t *copy = copy_of(bytes + begin, part);
		use_kernel(i);
		simhash_resemblance_scanner_update(scanner, copy, part);
		free(copy);
		begin += part;
	}
	simhash_resemblance_scanner_finish(scanner, &sketch);
	expect_sketch(&sketch, expected);
}

/* Compare the pieces of the last stream. */
static void expect_pieces(const uint8_t *bytes, size_t size, struct piece_levels levels)
{
	struct content_pieces pieces, again;
	unsigned level;
	size_t count, stored_size;
	uint64_t *expected =
		reference_pieces(bytes, size, levels.text, levels.other, &count, &level);
	uint8_t *stored;

	EXPECT(piece_collector_finish(&collector, &pieces));
	EXPECT(pieces.count == count && (count == 0 || pieces.level == level));
	EXPECT(count == 0 || memcmp(pieces.values, expected, count * sizeof *expected) == 0);
	stored = malloc(PIECES_STORED_MAX(count));
	EXPECT(stored != NULL);
	stored_size = content_pieces_store(&pieces, stored);
	EXPECT(content_pieces_load(stored, stored_size, values, &again) && again.count == count);
	EXPECT(count == 0 || memcmp(values, expected, count * sizeof *expected) == 0);
	free(stored);
	free(expected);
}

/* Any bytes are refused, or they are pieces that can be stored again. */
static void expect_safe_load(const uint8_t *data, size_t size)
{
	struct content_pieces pieces, again;
	uint8_t *copy = copy_of(data, size), *stored;
	bool is_stored = content_pieces_load(copy, size, values, &pieces);

	free(copy);
	if (!is_stored)
		return;
	EXPECT(pieces.level <= PIECE_LEVEL_MAX && pieces.count <= PIECES_MAX);
	for (size_t i = 0; i < pieces.count; i++)
		EXPECT(values[i] < piece_bound(pieces.level) &&
		       (i == 0 || values[i] > values[i - 1]));
	stored = malloc(PIECES_STORED_MAX(pieces.count));
	EXPECT(stored != NULL);
	EXPECT(content_pieces_load(stored, content_pieces_store(&pieces, stored), values, &again));
	EXPECT(again.count == pieces.count);
	free(stored);
}

/* For sketches with any bytes. */
static void expect_estimate(const uint8_t a[128], size_t size_a, const uint8_t b[128],
			    size_t size_b)
{
	struct simhash_resemblance_sketch sketch_a = {.text = {0}}, sketch_b = {.text = {0}};
	double estimate, expected, share;
	bool can_tell;

	memcpy(sketch_a.registers, a, 128);
	memcpy(sketch_b.registers, b, 128);
	can_tell = simhash_resemblance_estimate(&sketch_a, (int64_t)size_a, &sketch_b,
						(int64_t)size_b, &estimate);
	EXPECT(can_tell == reference_resemblance(a, size_a, b, size_b, &expected));
	if (!can_tell)
		return;
	EXPECT(estimate > expected - 1e-12 && estimate < expected + 1e-12);
	if (size_a == 0 || size_b == 0)
		return;
	EXPECT(simhash_containment_estimate(&sketch_a, (int64_t)size_a, &sketch_b, (int64_t)size_b,
					    &share));
	EXPECT(share >= 0 && share <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_size)
{
	struct input in = {data, data_size};
	size_t cuts[CUTS_MAX], cut_count = take_byte(&in) % (CUTS_MAX + 1), size, other_size;
	size_t piece = (1u + take_byte(&in) % 8) * RESEMBLANCE_BLOCK;
	uint8_t expected[144], other[128] = {0};
	const uint8_t *registers;
	uint8_t *bytes;
	struct piece_levels levels = {.text = (unsigned)cut_count % 13,
				      .other = (unsigned)(piece / RESEMBLANCE_BLOCK) + 6};

	expect_safe_load(data, data_size);
	for (size_t i = 0; i < cut_count; i++)
		cuts[i] = (size_t)take_number(&in, 2);
	registers = take_bytes(&in, take_byte(&in) % 129, &other_size);
	if (other_size > 0)
		memcpy(other, registers, other_size);
	bytes = take_expanded(&in, BYTES_MAX, &size);

	reference_sketch(bytes, size, expected);
	for (size_t k = 0; k < kernel_count; k++)
		expect_sketch_of_whole(bytes, size, k, expected);
	resemblance_scanner_collect(scanner, &collector, levels);
	expect_sketch_of_stream(bytes, size, cuts, cut_count, expected);
	expect_pieces(bytes, size, levels);
	expect_estimate(expected, size, other, other_size * 1000);
	memset(expected, 0, sizeof expected);
	reference_registers(bytes, size, expected);
	expect_sketch_of_pieces(bytes, size, piece, expected);
	free(bytes);
	return 0;
}

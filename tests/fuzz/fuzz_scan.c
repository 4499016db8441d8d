/*
 * Compares the scan (paper, 4.1) with the bit-by-bit reference: every kernel of this machine, over
 * streams cut anywhere and merged from pieces.
 * SPDX-License-Identifier: MIT
 */
#include "core/piece.h"
#include "fuzz.h"
#include "reference.h"
#include "simhash.h"

#define BYTES_MAX 40000
#define CUTS_MAX 15

static const char *const names[] = {"portable", "avx2", "avx512", "avx512vbmi", "neon"};

#define NAMES (sizeof names / sizeof *names)

/* Tags that overlap themselves and each other in every way. */
static const uint8_t periodic[SIMHASH_TAGS] = {0x00, 0xff, 0x55, 0xaa, 0x49, 0x92, 0x24, 0xdb,
					       0xb6, 0x6d, 0x11, 0x22, 0x44, 0x88, 0x33, 0xcc};

static const char *kernels[NAMES]; /* the kernels of this machine */
static size_t kernel_count;

struct cut {
	size_t end;
	uint8_t how; /* bit 0: scan as a piece; higher bits: the kernel */
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct simhash_error error;

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < NAMES; i++)
		if (simhash_kernel_select(names[i], &error) == 0)
			kernels[kernel_count++] = names[i];
	return 0;
}

static void use_kernel(size_t number)
{
	struct simhash_error error;

	EXPECT(simhash_kernel_select(kernels[number % kernel_count], &error) == 0);
}

static struct simhash_tag_set *make_set(const struct reference_tag tags[SIMHASH_TAGS])
{
	struct simhash_tag copies[SIMHASH_TAGS];
	struct simhash_tag_set *set;
	struct simhash_error error;

	for (int t = 0; t < SIMHASH_TAGS; t++)
		copies[t] = (struct simhash_tag){tags[t].pattern, 1000, 1000, 1000};
	EXPECT(simhash_tag_set_new("fuzz", copies, &set, &error) == 0);
	return set;
}

/* Read 16 tags from the input. A tag that exists already becomes the next free one. */
static void take_tags(struct input *in, struct reference_tag tags[SIMHASH_TAGS])
{
	uint8_t is_there[256] = {0};

	for (int t = 0; t < SIMHASH_TAGS; t++) {
		uint8_t pattern = take_byte(in);
		while (is_there[pattern])
			pattern++;
		is_there[pattern] = 1;
		tags[t] = (struct reference_tag){pattern, 0, 0};
	}
}

/* Making a set takes longer than scanning a few bytes, so the last set of each kind is kept. */
static const struct simhash_tag_set *choose_set(struct input *in,
						struct reference_tag tags[SIMHASH_TAGS])
{
	static struct simhash_tag_set *sets[3];
	static struct reference_tag own[SIMHASH_TAGS];
	uint8_t choice = take_byte(in) % 3;

	for (int t = 0; t < SIMHASH_TAGS; t++)
		tags[t] = choice == 0 ? reference_sample[t]
				      : (struct reference_tag){periodic[t], 0, 0};
	if (choice == 2) {
		take_tags(in, tags);
		if (memcmp(own, tags, sizeof own) != 0) {
			simhash_tag_set_free(sets[2]);
			sets[2] = NULL;
		}
		memcpy(own, tags, sizeof own);
	}
	if (sets[choice] == NULL)
		sets[choice] = make_set(tags);
	return sets[choice];
}

static int compare_cuts(const void *a, const void *b)
{
	const struct cut *x = a, *y = b;

	return (x->end > y->end) - (x->end < y->end);
}

/* Scan one cut, from memory of exactly this size, so that reading one more byte is noticed. */
static void scan_cut(struct simhash_scanner *scanner, const uint8_t *bytes, size_t begin,
		     const struct cut *cut)
{
	size_t size = cut->end - begin;
	uint8_t *copy = malloc(size + 1);
	struct scan_piece piece;

	EXPECT(copy != NULL);
	memcpy(copy + 1, bytes + begin, size);
	use_kernel(cut->how >> 1);
	if (!(cut->how & 1) || begin < 2) {
		simhash_scanner_update(scanner, copy + 1, size);
	} else {
		scan_piece(&piece, scanner->tag_set, bytes + begin - 2, copy + 1, size);
		if (!scan_piece_append(scanner, &piece))
			simhash_scanner_update(scanner, copy + 1, size);
	}
	free(copy);
}

static void expect_counts(const struct simhash_scanner *scanner, const uint64_t counts[16])
{
	struct simhash_sum_table table;

	simhash_scanner_finish(scanner, &table);
	for (int t = 0; t < SIMHASH_TAGS; t++)
		EXPECT(table.count[t] == counts[t]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t data_size)
{
	struct input in = {data, data_size};
	struct reference_tag tags[SIMHASH_TAGS];
	const struct simhash_tag_set *set = choose_set(&in, tags);
	struct cut cuts[CUTS_MAX + 1];
	size_t cut_count = take_byte(&in) % (CUTS_MAX + 1), size, begin = 0;
	struct simhash_scanner scanner;
	uint64_t counts[16];
	uint8_t *bytes;

	for (size_t i = 0; i < cut_count; i++)
		cuts[i] = (struct cut){(size_t)take_number(&in, 2), take_byte(&in)};
	cuts[cut_count] = (struct cut){SIZE_MAX, take_byte(&in)};
	bytes = take_expanded(&in, BYTES_MAX, &size);
	for (size_t i = 0; i <= cut_count; i++)
		if (cuts[i].end > size)
			cuts[i].end = i == cut_count ? size : cuts[i].end % (size + 1);
	qsort(cuts, cut_count, sizeof *cuts, compare_cuts);

	reference_counts(tags, bytes, size, counts);
	for (size_t k = 0; k < kernel_count; k++) {
		struct cut whole = {size, (uint8_t)(k << 1)};
		simhash_scanner_init(&scanner, set);
		scan_cut(&scanner, bytes, 0, &whole);
		expect_counts(&scanner, counts);
	}
	simhash_scanner_init(&scanner, set);
	for (size_t i = 0; i <= cut_count; begin = cuts[i++].end)
		scan_cut(&scanner, bytes, begin, &cuts[i]);
	expect_counts(&scanner, counts);
	free(bytes);
	return 0;
}

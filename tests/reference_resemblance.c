/*
 * Computes resemblance sketches step by step, as docs/algorithm.md defines them.
 * SPDX-License-Identifier: MIT
 */
#include "reference_resemblance.h"

#include <stdlib.h>
#include <string.h>

#include "data.h"

static unsigned word(const uint8_t *p)
{
	return p[0] + 256u * p[1];
}

static unsigned t(const uint8_t *p)
{
	return (word(p) * 0x9E35u + word(p + 2)) % 65536u;
}

static unsigned u(const uint8_t *p)
{
	return (t(p) * 0xC2B3u + t(p + 4)) % 65536u;
}

static unsigned v(const uint8_t *p)
{
	return (u(p) * 0x85EBu + u(p + 8)) % 65536u;
}

unsigned reference_rank(const uint8_t *p)
{
	return (v(p) * 0x27D5u + 0xA598u) % 65536u;
}

unsigned reference_level(uint64_t size)
{
	uint64_t positions = size < 16 ? 0 : size - 15;
	unsigned level = 0;

	while (level < 7 && positions >= 1024) {
		positions /= 2;
		level++;
	}
	return level;
}

static uint64_t number(const uint8_t *p)
{
	uint64_t x = 0, place = 1;

	for (int i = 0; i < 8; i++) {
		x += p[i] * place;
		place *= 256;
	}
	return x;
}

/* Both halves of the product, by long multiplication with digits of 32 bits. */
static uint64_t mum(uint64_t a, uint64_t b)
{
	uint64_t a0 = a % 4294967296u, a1 = a / 4294967296u;
	uint64_t b0 = b % 4294967296u, b1 = b / 4294967296u;
	uint64_t low = a0 * b0;
	uint64_t middle = a1 * b0 + low / 4294967296u;
	uint64_t carry = a0 * b1 + middle % 4294967296u;
	uint64_t high = a1 * b1 + middle / 4294967296u + carry / 4294967296u;

	return high ^ (a * b);
}

static uint64_t hash(const uint8_t *p)
{
	return mum(number(p) ^ 0xa0761d6478bd642fu, number(p + 8) ^ 0xe7037ed1a0b428dbu) *
	       0x9E3779B97F4A7C15u;
}

/* Must a group of 64 positions be left out because its block has reached the cap? */
static bool is_capped(unsigned level, unsigned hits)
{
	unsigned most = 32768u >> level;

	return hits >= (most < 256 ? 256 : most);
}

void reference_sketch(const uint8_t *bytes, size_t size, uint8_t sketch[128])
{
	const uint64_t none = 0xffffffffffffffffu;
	size_t positions = size < 16 ? 0 : size - 15;
	unsigned level = reference_level(size), hits = 0;
	uint64_t least[128];
	bool is_left_out = false;

	for (int r = 0; r < 128; r++)
		least[r] = none;
	for (size_t i = 0; i < positions; i++) {
		uint64_t h, value;
		unsigned rank;
		if (i % 4096 == 0)
			hits = 0;
		if (i % 64 == 0)
			is_left_out = is_capped(level, hits);
		rank = reference_rank(bytes + i);
		if (is_left_out || rank > 0xFFFFu >> level)
			continue;
		hits++;
		h = hash(bytes + i);
		value = rank * 281474976710656u + h / 512 % 281474976710656u;
		if (value < least[h / 144115188075855872u])
			least[h / 144115188075855872u] = value;
	}
	for (int r = 0; r < 128; r++)
		sketch[r] = least[r] == none ? 0 : (uint8_t)(1 + least[r] % 255);
}

bool reference_resemblance(const uint8_t a[128], uint64_t size_a, const uint8_t b[128],
			   uint64_t size_b, double *resemblance)
{
	unsigned level_a = reference_level(size_a), level_b = reference_level(size_b);
	double used = 0, both = 0, equal = 0;

	for (int r = 0; r < 128; r++) {
		if (a[r] == 0 && b[r] == 0)
			continue;
		if (a[r] == 0 && level_a > level_b)
			continue;
		if (b[r] == 0 && level_b > level_a)
			continue;
		used++;
		if (a[r] != 0 && b[r] != 0)
			both++;
		if (a[r] == b[r])
			equal++;
	}
	if (used < 16)
		return false;
	*resemblance = (equal - both / 255) / (used - both / 255);
	if (*resemblance < 0)
		*resemblance = 0;
	if (*resemblance * (double)size_a > (double)size_b)
		*resemblance = (double)size_b / (double)size_a;
	if (*resemblance * (double)size_b > (double)size_a)
		*resemblance = (double)size_a / (double)size_b;
	return true;
}

static int compare_shingles(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

/* The shingles of a content, sorted, each once. */
static uint8_t (*shingle_set(const uint8_t *bytes, size_t size, size_t *count))[16]
{
	size_t all = size < 16 ? 0 : size - 15;
	uint8_t(*set)[16] = malloc((all + 1) * sizeof *set);

	*count = 0;
	if (set == NULL)
		abort();
	for (size_t i = 0; i < all; i++)
		memcpy(set[i], bytes + i, 16);
	qsort(set, all, sizeof *set, compare_shingles);
	for (size_t i = 0; i < all; i++)
		if (*count == 0 || memcmp(set[*count - 1], set[i], 16) != 0)
			memmove(set[(*count)++], set[i], 16);
	return set;
}

double reference_jaccard(const uint8_t *a, size_t size_a, const uint8_t *b, size_t size_b)
{
	size_t count_a, count_b, i = 0, j = 0, both = 0;
	uint8_t(*set_a)[16] = shingle_set(a, size_a, &count_a);
	uint8_t(*set_b)[16] = shingle_set(b, size_b, &count_b);

	while (i < count_a && j < count_b) {
		int order = memcmp(set_a[i], set_b[j], 16);
		both += order == 0;
		i += order <= 0;
		j += order >= 0;
	}
	free(set_a);
	free(set_b);
	return (double)both / (double)(count_a + count_b - both);
}

/*
 * 1 / D5 modulo 256: adding one to the last byte of a shingle adds D5 to the upper byte of its
 * rank.
 */
#define BYTES_FOR_RANK 125u

void reference_fill_sampled(uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned upper_byte = data_random_byte() % 2;
		bytes[i] = data_random_byte();
		if (i < 15)
			continue;
		upper_byte += 256 - reference_rank(bytes + i - 15) / 256;
		bytes[i] = (uint8_t)(bytes[i] + upper_byte * BYTES_FOR_RANK);
	}
}

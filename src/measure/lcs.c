/*
 * Computes the length of a longest common subsequence: the part that diff leaves unchanged.
 *
 * It first works like diff (E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986),
 * which is fast if the texts differ little. Only the length is needed, so an array with the
 * furthest point of each diagonal is enough memory. If the texts differ too much, it computes all
 * rows of the table at once as bits (H. Hyyroe, "Bit-parallel LCS-length Computation Revisited",
 * 2004). It does this in strips that stay in the cache, and passes one bit of carry for each symbol
 * between strips. Both methods are exact.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "measure/lines.h"
#include "simhash_measures.h"

/* ---- Myers ---- */

/*
 * Return the number of symbols to delete and insert. Returns -1 if it exceeds `most` or takes more
 * than `steps` steps; a step examines a diagonal or compares a symbol. Returns -2 without memory. A
 * furthest point is a number of symbols of a.
 */
static int64_t differences(const struct symbols *a, const struct symbols *b, size_t most,
			   double steps)
{
	int64_t n = (int64_t)a->count, m = (int64_t)b->count;
	int64_t *furthest = calloc(2 * most + 3, sizeof *furthest), found = -1;
	int64_t *at = furthest == NULL ? NULL : furthest + most + 1; /* indexed by diagonal */

	if (furthest == NULL)
		return -2;
	for (int64_t d = 0; found < 0 && d <= (int64_t)most && steps > 0; d++)
		for (int64_t k = -d; k <= d; k += 2) {
			int64_t x, y, from;
			/* Skip diagonals outside of the table. */
			if (k > n || -k > m)
				continue;
			x = k == -d || (k != d && at[k - 1] < at[k + 1]) ? at[k + 1]
									 : at[k - 1] + 1;
			y = x - k;
			from = x;
			while (x < n && y < m && a->symbol[x] == b->symbol[y]) {
				x++;
				y++;
			}
			steps -= (double)(x - from + 1);
			at[k] = x;
			if (x >= n && y >= m) {
				found = d;
				break;
			}
		}
	free(furthest);
	return found;
}

/* ---- Bits ---- */

#define STRIP_WORDS 16
#define STRIP_BITS (64 * STRIP_WORDS)

struct strip {
	/* For each symbol, the bits of its positions; row 0 is empty. */
	uint64_t row[STRIP_BITS + 1][STRIP_WORDS];
	uint64_t value[STRIP_WORDS];
};

/* Process one symbol of a against a strip of b. Takes the carry and returns the new carry. */
static inline uint64_t step(uint64_t *value, const uint64_t *row, uint64_t carry)
{
	for (int w = 0; w < STRIP_WORDS; w++) {
		uint64_t v = value[w], u = v & row[w], sum = v + carry;
		uint64_t over = sum < v;
		sum += u;
		carry = over | (sum < u);
		value[w] = sum | (v & ~row[w]);
	}
	return carry;
}

static uint64_t count_strip(struct strip *strip, const struct symbols *a, const uint16_t *row_of,
			    uint64_t *carries, size_t bits)
{
	uint64_t zeros = 0;

	memset(strip->value, 0xff, sizeof strip->value);
	for (size_t i = 0; i < a->count; i++) {
		uint16_t row = row_of[a->symbol[i]];
		uint64_t *word = &carries[i / 64], bit = UINT64_C(1) << i % 64;
		uint64_t carry = (*word & bit) != 0;
		if (row == 0 && carry == 0)
			continue;
		if (step(strip->value, strip->row[row], carry) != 0)
			*word |= bit;
		else
			*word &= ~bit;
	}
	for (size_t i = 0; i < bits; i++)
		zeros += (strip->value[i / 64] >> i % 64 & 1) == 0;
	return zeros;
}

static int count_by_bits(const struct symbols *a, const struct symbols *b, uint32_t alphabet,
			 uint64_t *length)
{
	struct strip *strip = aligned_alloc(64, (sizeof *strip + 63) / 64 * 64);
	uint16_t *row_of = calloc((size_t)alphabet + 1, sizeof *row_of);
	uint64_t *carries = calloc(a->count / 64 + 1, sizeof *carries);
	int status = strip == NULL || row_of == NULL || carries == NULL ? -1 : 0;

	*length = 0;
	for (size_t start = 0; status == 0 && start < b->count; start += STRIP_BITS) {
		size_t bits = b->count - start < STRIP_BITS ? b->count - start : STRIP_BITS;
		uint16_t rows = 0;
		memset(strip->row[0], 0, sizeof strip->row[0]);
		for (size_t i = 0; i < bits; i++) {
			uint16_t *row = &row_of[b->symbol[start + i]];
			if (*row == 0) {
				*row = ++rows;
				memset(strip->row[rows], 0, sizeof strip->row[rows]);
			}
			strip->row[*row][i / 64] |= UINT64_C(1) << i % 64;
		}
		*length += count_strip(strip, a, row_of, carries, bits);
		for (size_t i = 0; i < bits; i++)
			row_of[b->symbol[start + i]] = 0;
	}
	free(carries);
	free(row_of);
	free(strip);
	return status;
}

/* ---- Both ---- */

/* Remove the common beginning and end, and return their size. */
static uint64_t trim(struct symbols *a, struct symbols *b)
{
	uint64_t common = 0;

	while (a->count > 0 && b->count > 0 && a->symbol[0] == b->symbol[0]) {
		a->symbol++;
		b->symbol++;
		a->count--;
		b->count--;
		common++;
	}
	while (a->count > 0 && b->count > 0 && a->symbol[a->count - 1] == b->symbol[b->count - 1]) {
		a->count--;
		b->count--;
		common++;
	}
	return common;
}

/* Remove symbols that occur in only one of the two; no common subsequence has them. */
static void drop_lonely(struct symbols *a, struct symbols *b, uint8_t *seen, uint32_t alphabet)
{
	struct symbols *both[] = {a, b};

	memset(seen, 0, (size_t)alphabet + 1);
	for (int side = 0; side < 2; side++)
		for (size_t i = 0; i < both[side]->count; i++)
			seen[both[side]->symbol[i]] |= (uint8_t)(1 << side);
	for (int side = 0; side < 2; side++) {
		size_t kept = 0;
		for (size_t i = 0; i < both[side]->count; i++)
			if (seen[both[side]->symbol[i]] == 3)
				both[side]->symbol[kept++] = both[side]->symbol[i];
		both[side]->count = kept;
	}
}

static size_t root_of(double value)
{
	size_t root = 0;

	for (size_t bit = (size_t)1 << 31; bit > 0; bit >>= 1)
		if ((double)(root + bit) * (double)(root + bit) <= value)
			root += bit;
	return root;
}

/* `alphabet` is the largest symbol. The symbols are overwritten. */
static int measure(struct symbols a, struct symbols b, uint32_t alphabet, uint64_t max_steps,
		   uint64_t *length, struct simhash_error *error)
{
	uint8_t *seen = malloc((size_t)alphabet + 1);
	double steps, limit = max_steps == 0 ? 1e300 : (double)max_steps;
	uint64_t common;
	int64_t differing;
	size_t most;

	if (seen == NULL)
		return error_set_memory(error);
	drop_lonely(&a, &b, seen, alphabet);
	free(seen);
	*length = trim(&a, &b);
	if (a.count == 0 || b.count == 0)
		return 0;
	/* The cost of the bit method, with about a nanosecond for each word. */
	steps = (double)a.count * (double)b.count / 64 + (double)a.count;
	/* D differences take at least D * D / 2 diagonals. */
	most = root_of(2 * (steps <= limit ? steps : limit));
	if (most > a.count + b.count)
		most = a.count + b.count;
	/* The first step compares the common beginning, so its cost is always allowed. */
	differing = differences(&a, &b, most,
				(steps <= limit ? steps : limit) + (double)(a.count + b.count));
	if (differing == -2)
		return error_set_memory(error);
	if (differing >= 0) {
		*length += (a.count + b.count - (uint64_t)differing) / 2;
		return 0;
	}
	if (steps > limit)
		return error_set(error, SIMHASH_E_RANGE,
				 "the longest common subsequence needs about %.0f million steps",
				 steps / 1e6);
	if (count_by_bits(&a, &b, alphabet, &common) != 0)
		return error_set_memory(error);
	*length += common;
	return 0;
}

static int symbols_of_bytes(const uint8_t *bytes, size_t size, struct symbols *symbols)
{
	symbols->count = size;
	symbols->symbol = malloc((size + 1) * sizeof *symbols->symbol);
	for (size_t i = 0; symbols->symbol != NULL && i < size; i++)
		symbols->symbol[i] = bytes[i];
	return symbols->symbol == NULL ? -1 : 0;
}

int simhash_lcs_bytes(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
		      uint64_t max_steps, uint64_t *length, struct simhash_error *error)
{
	struct symbols x = {NULL, 0}, y = {NULL, 0};
	int status;

	if (symbols_of_bytes(a, a_bytes, &x) != 0 || symbols_of_bytes(b, b_bytes, &y) != 0)
		status = error_set_memory(error);
	else
		status = measure(x, y, 255, max_steps, length, error);
	free(x.symbol);
	free(y.symbol);
	return status;
}

int simhash_lcs_lines(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
		      uint64_t max_steps, struct simhash_lcs_lines *lines,
		      struct simhash_error *error)
{
	struct numbered_lines numbered;
	int status = lines_number(a, a_bytes, b, b_bytes, &numbered, error);

	if (status == 0) {
		lines->lines_a = numbered.a.count;
		lines->lines_b = numbered.b.count;
		status = measure(numbered.a, numbered.b, numbered.different, max_steps,
				 &lines->common, error);
	}
	lines_release(&numbered);
	return status;
}

/*
 * Estimates resemblance and containment from two resemblance sketches (docs/algorithm.md). It runs
 * for hundreds of millions of pairs, so it compares 16 bytes at a time.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "core/resemblance.h"

#define REGISTERS_MIN 16 /* the minimum number of used registers for an estimate */
/* The number of values of a register; one in VALUES pairs of different values looks equal. */
#define VALUES 255.0

/* If this loop is unrolled, most vectors are written to memory. */
#define NOT_UNROLLED _Pragma("GCC unroll 1")

typedef int8_t bytes_16 __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

/* The number of registers in each state. */
struct agreement {
	unsigned empty_a, empty_b, empty_either, equal;
};

/* Return the sum of bytes that are 0, -1, ..., -8. */
static unsigned sum_of(bytes_16 counts)
{
	halves half = (halves)-counts;

	return (unsigned)((half[0] + half[1]) * UINT64_C(0x0101010101010101) >> 56);
}

static inline bytes_16 load(const uint8_t *p)
{
	bytes_16 x;

	memcpy(&x, p, sizeof x);
	return x;
}

static struct agreement compare(const struct simhash_resemblance_sketch *a,
				const struct simhash_resemblance_sketch *b)
{
	bytes_16 empty_a = {0}, empty_b = {0}, empty_either = {0}, equal = {0};

	NOT_UNROLLED
	for (size_t i = 0; i < SIMHASH_RESEMBLANCE_REGISTERS; i += sizeof(bytes_16)) {
		bytes_16 x = load(a->registers + i), y = load(b->registers + i);
		empty_a += x == 0;
		empty_b += y == 0;
		empty_either += (x == 0) | (y == 0);
		equal += x == y;
	}
	return (struct agreement){sum_of(empty_a), sum_of(empty_b), sum_of(empty_either),
				  sum_of(equal)};
}

static inline bool are_same_text(const struct simhash_resemblance_sketch *a,
				 const struct simhash_resemblance_sketch *b)
{
	return memcmp(a->text, b->text, sizeof a->text) == 0 && resemblance_is_text(a);
}

bool simhash_resemblance_same_text(const struct simhash_resemblance_sketch *a,
				   const struct simhash_resemblance_sketch *b)
{
	return are_same_text(a, b);
}

static bool estimate(const struct simhash_resemblance_sketch *a, int64_t size_a_bytes,
		     const struct simhash_resemblance_sketch *b, int64_t size_b_bytes,
		     double *resemblance)
{
	unsigned level_a = resemblance_level((uint64_t)size_a_bytes);
	unsigned level_b = resemblance_level((uint64_t)size_b_bytes);
	struct agreement is = compare(a, b);
	unsigned empty_both = is.empty_a + is.empty_b - is.empty_either;
	unsigned both = SIMHASH_RESEMBLANCE_REGISTERS - is.empty_either, used = both;
	double share, most;

	/*
	 * The sketch with the higher level has the smaller sample. So its empty registers are not
	 * counted.
	 */
	used += level_b <= level_a ? is.empty_either - is.empty_a : 0;
	used += level_a <= level_b ? is.empty_either - is.empty_b : 0;
	if (used < REGISTERS_MIN)
		return false;
	/* This is (equal - both / VALUES) / (used - both / VALUES) with one division. */
	share = (VALUES * (is.equal - empty_both) - both) / (VALUES * used - both);
	/*
	 * A sketch does not count repetitions, but the sizes include them and limit the
	 * resemblance.
	 */
	most = size_a_bytes < size_b_bytes ? (double)size_a_bytes / (double)size_b_bytes
					   : (double)size_b_bytes / (double)size_a_bytes;
	*resemblance = share < 0 ? 0 : share > most ? most : share;
	return true;
}

bool simhash_resemblance_estimate(const struct simhash_resemblance_sketch *a, int64_t size_a_bytes,
				  const struct simhash_resemblance_sketch *b, int64_t size_b_bytes,
				  double *resemblance)
{
	if (!are_same_text(a, b))
		return estimate(a, resemblance_size(a, size_a_bytes), b,
				resemblance_size(b, size_b_bytes), resemblance);
	*resemblance = 1;
	return true;
}

double resemblance_containment(double resemblance, int64_t size_a, int64_t size_b)
{
	double a = (double)size_a, b = (double)size_b;
	double part = resemblance / (1 + resemblance) * (a + b) / (a < b ? a : b);

	return part > 1 ? 1 : part;
}

bool simhash_containment_estimate(const struct simhash_resemblance_sketch *a, int64_t size_a_bytes,
				  const struct simhash_resemblance_sketch *b, int64_t size_b_bytes,
				  double *share)
{
	double resemblance;

	if (!simhash_resemblance_estimate(a, size_a_bytes, b, size_b_bytes, &resemblance))
		return false;
	*share = resemblance_containment(resemblance, resemblance_size(a, size_a_bytes),
					 resemblance_size(b, size_b_bytes));
	return true;
}

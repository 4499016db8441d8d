/*
 * Converts rows to the units of the comparison, and compares them in vectors of eight lanes. Every
 * processor with vectors has vectors of this size; on other processors, the code computes without
 * vectors.
 * SPDX-License-Identifier: MIT
 */
#define NEAR_VECTOR 8
#include "find/rule/near_template.h"

#define REACH_BITS 13 /* significant bits of a reach in the units of counts */
/*
 * The same in the units of sums. One of these units allows for rounding. Fewer bits make this unit
 * larger; with more bits, fewer sums fit into a byte.
 */
#define REACH_BITS_OF_SUMS 6

unsigned power_of(int64_t reach)
{
	return 64 - (unsigned)__builtin_clzll((uint64_t)reach);
}

/* The unit is 2^shift if `bits` bits of a reach are used. */
static unsigned shift_of(unsigned power, unsigned bits)
{
	return power > bits ? power - bits : 0;
}

static uint8_t pair_sum(const struct simhash_sum_table *table, unsigned which, unsigned power)
{
	uint64_t sum;

	if (__builtin_add_overflow(table->count[which], table->count[which + 8], &sum))
		sum = UINT64_MAX;
	sum >>= shift_of(power, REACH_BITS_OF_SUMS);
	return sum < UINT8_MAX ? (uint8_t)sum : UINT8_MAX;
}

static uint16_t tag_count(const struct simhash_sum_table *table, unsigned tag, unsigned power)
{
	return (uint16_t)(table->count[tag] >> shift_of(power, REACH_BITS));
}

void near_rows_set(const struct near_rows *rows, size_t number,
		   const struct simhash_sum_table *table, unsigned power)
{
	for (unsigned s = 0; s < SUMS; s++)
		rows->sums[number / LANES][number % LANES][s] = pair_sum(table, s, power);
	for (unsigned t = 0; t < SIMHASH_TAGS; t++)
		rows->tags[number / LANES][t][number % LANES] = tag_count(table, t, power);
}

struct nearness nearness_of(const struct simhash_sum_table *table, uint64_t reach, unsigned power)
{
	unsigned shift = shift_of(power, REACH_BITS), sums = shift_of(power, REACH_BITS_OF_SUMS);
	/* If values are rounded, each difference may be off by less than one unit. */
	struct nearness near = {
		.reach = (uint16_t)((reach >> sums) + (sums > 0 ? SUMS : 0)),
		.reach_of_tags = (uint16_t)((reach >> shift) + (shift > 0 ? 1 + SIMHASH_TAGS : 0))};

	for (unsigned s = 0; s < SUMS; s++)
		near.sums[s] = pair_sum(table, s, power);
	for (unsigned t = 0; t < SIMHASH_TAGS; t++)
		near.tags[t] = tag_count(table, t, power);
	return near;
}

int64_t signed_sum(const struct simhash_sum_table *table, unsigned walsh_row)
{
	uint64_t plus = 0, minus = 0;

	for (unsigned t = 0; t < SIMHASH_TAGS; t++) {
		uint64_t *sum = __builtin_parity(t & walsh_row) ? &minus : &plus;
		if (__builtin_add_overflow(*sum, table->count[t], sum))
			*sum = UINT64_MAX;
	}
	if (plus >= minus)
		return plus - minus > INT64_MAX ? INT64_MAX : (int64_t)(plus - minus);
	return minus - plus > INT64_MAX ? -INT64_MAX : -(int64_t)(minus - plus);
}

struct sum_range sums_within(int64_t sum, uint64_t reach)
{
	struct sum_range range;

	if (__builtin_sub_overflow(sum, (int64_t)reach, &range.low))
		range.low = INT64_MIN;
	if (__builtin_add_overflow(sum, (int64_t)reach, &range.high))
		range.high = INT64_MAX;
	return range;
}

unsigned near_next_portable(const struct near_rows *rows, const struct nearness *near,
			    size_t *chunk, size_t end)
{
	return near_next_here(rows, near, chunk, end);
}

near_fn *near_choose(void)
{
#ifdef SIMHASH_X86_KERNELS
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
		return near_next_avx512;
	if (__builtin_cpu_supports("avx2"))
		return near_next_avx2;
#endif
	return near_next_portable;
}

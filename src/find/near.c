/*
 * Comparing rows in eight lanes: what every processor with vectors has, and others do without.
 * SPDX-License-Identifier: MIT
 */
#define NEAR_VECTOR 8
#include "find/near.h"

#define REACH_BITS 13 /* of a reach in the units of sums */

unsigned power_of(int64_t reach)
{
	return 64 - (unsigned)__builtin_clzll((uint64_t)reach);
}

/* Sums are counted in units of 2^shift. */
static unsigned shift_of(unsigned power)
{
	return power > REACH_BITS ? power - REACH_BITS : 0;
}

static uint16_t pair_sum(const struct simhash_sum_table *table, unsigned which, unsigned power)
{
	return (uint16_t)((table->count[which] + table->count[which + 8]) >> shift_of(power));
}

static uint16_t tag_count(const struct simhash_sum_table *table, unsigned tag, unsigned power)
{
	return (uint16_t)(table->count[tag] >> shift_of(power));
}

void near_rows_set(const struct near_rows *rows, size_t number,
		   const struct simhash_sum_table *table, unsigned power)
{
	for (unsigned s = 0; s < SUMS; s++)
		rows->sums[number / LANES][s][number % LANES] = pair_sum(table, s, power);
	for (unsigned t = 0; t < SIMHASH_TAGS; t++)
		rows->tags[number / LANES][t][number % LANES] = tag_count(table, t, power);
}

struct nearness nearness_of(const struct simhash_sum_table *table, uint64_t reach, unsigned power)
{
	unsigned shift = shift_of(power);
	/* Where sums are rounded, each may be off by less than one. */
	struct nearness near = {
		.reach = (uint16_t)((reach >> shift) + (shift > 0 ? 1 + SUMS : 0)),
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
	if (__builtin_cpu_supports("avx2"))
		return near_next_avx2;
#endif
	return near_next_portable;
}

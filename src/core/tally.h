/*
 * Counts the tags in many entries of the automaton at a time. The counters become wider as they
 * fill: from 3 bits in a sum of entries to 6 bits (even and odd tags), then to 12 bits, and to the
 * sum table.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_TALLY_H
#define SIMHASH_CORE_TALLY_H

#include <string.h>

#include "core/automaton.h"

struct tally {
	uint64_t even, odd;  /* 8 fields of 6 bits: tags 0, 2, ... and 1, 3, ... */
	uint64_t quarter[4]; /* 4 fields of 12 bits: tags q, q + 4, q + 8, q + 12 */
	unsigned rounds;
};

#define FIELDS_3_OF_6 UINT64_C(0x1c71c71c71c7)
#define FIELDS_6_OF_12 UINT64_C(0x03f03f03f03f)
#define FIELD_12 UINT64_C(0xfff)
#define ROUNDS_MAX (4095 / 63) /* calls of tally_widen; each adds at most 63 to a field */

/* Add a sum of at most 7 entries. Call tally_widen after at most 9 such sums. */
static inline void tally_add(struct tally *tally, uint64_t entries)
{
	tally->even += entries & FIELDS_3_OF_6;
	tally->odd += entries >> AUTOMATON_FIELD_BITS & FIELDS_3_OF_6;
}

/* Add all widened counts to the sum table. */
static inline void tally_empty(struct tally *tally, struct simhash_sum_table *table)
{
	for (int q = 0; q < 4; q++)
		for (int i = 0; i < 4; i++)
			table->count[q + 4 * i] += tally->quarter[q] >> (12 * i) & FIELD_12;
	memset(tally->quarter, 0, sizeof tally->quarter);
	tally->rounds = 0;
}

static inline void tally_widen(struct tally *tally, struct simhash_sum_table *table)
{
	tally->quarter[0] += tally->even & FIELDS_6_OF_12;
	tally->quarter[1] += tally->odd & FIELDS_6_OF_12;
	tally->quarter[2] += tally->even >> 6 & FIELDS_6_OF_12;
	tally->quarter[3] += tally->odd >> 6 & FIELDS_6_OF_12;
	tally->even = tally->odd = 0;
	if (++tally->rounds == ROUNDS_MAX)
		tally_empty(tally, table);
}

#endif

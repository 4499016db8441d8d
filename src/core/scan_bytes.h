/*
 * Defines functions that every scan kernel needs in addition to its lanes: a run of the automaton
 * over some bytes, a fast run over periodic data, and the correction of a lane that started from a
 * guessed state. An entry is an entry of the automaton; it represents the state that it leads to.
 *
 * A lane is a piece of the bytes that is scanned at the same time as other pieces. The state at its
 * start is unknown until the previous lane is finished, so it is guessed from the two bytes before
 * the lane. Afterwards the lane's first bytes are run again, from the true state and from the
 * guessed state, until both states are equal. This usually takes one or two bytes. The counts are
 * corrected by the difference.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_SCAN_BYTES_H
#define SIMHASH_CORE_SCAN_BYTES_H

#include "core/automaton.h"

/* Run the automaton byte by byte. Returns the last entry. */
uint64_t scan_bytes(const uint64_t *entries, uint64_t entry, const uint8_t *bytes, size_t size,
		    struct simhash_sum_table *table);

/*
 * Return the number of bytes at the start that repeat with a period of 1 to 7 bytes, and store the
 * period. Returns 0 if fewer than `at_least` bytes repeat.
 */
size_t scan_find_period(const uint8_t *bytes, size_t size, size_t at_least, size_t *period);

/*
 * Run over bytes of this period, in time that does not depend on `size`. Reads only the first
 * `period` bytes.
 */
uint64_t scan_periodic(const uint64_t *entries, uint64_t entry, const uint8_t *bytes, size_t size,
		       size_t period, struct simhash_sum_table *table);

/* Guess the state before a lane from the two bytes before it. */
static inline uint64_t guess_entry(const uint64_t *entries, const uint8_t *lane)
{
	return automaton_step(entries, automaton_step(entries, 0, lane[-2]), lane[-1]);
}

enum reconciled {
	RECONCILE_MET,	   /* the states became equal, so the lane's end is right */
	RECONCILE_REACHED, /* the whole lane was run; *entry is its true end */
	RECONCILE_GAVE_UP, /* the budget is used up, and the table is undefined */
};

/*
 * Replace in `table` the counts of a lane that started at `guess` by the counts from *entry. Each
 * byte takes 1 of *budget.
 */
enum reconciled reconcile(const uint64_t *entries, uint64_t *entry, uint64_t guess,
			  const uint8_t *lane, size_t size, size_t *budget,
			  struct simhash_sum_table *table);

#endif

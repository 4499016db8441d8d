/*
 * The functions that every scan kernel needs besides its lanes: one run of the automaton over some
 * bytes, a short way over data that repeats, and the correction of a lane that counted from a
 * guessed state. An entry is an entry of the automaton, and represents the state that it leads to.
 *
 * A lane is a piece of the bytes that is scanned at the same time as other pieces. The state at its
 * start is not known before the lane before it has been read, so it is guessed from the two bytes
 * before the lane. Afterwards the lane's first bytes are run again, from the true state and from
 * the guessed one, until the two states meet. This mostly takes a byte or two. The counts are
 * corrected by the difference.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_SCAN_BYTES_H
#define SIMHASH_CORE_SCAN_BYTES_H

#include "core/automaton.h"

/* One run, byte by byte. Returns the last entry. */
uint64_t scan_bytes(const uint64_t *entries, uint64_t entry, const uint8_t *bytes, size_t size,
		    struct simhash_sum_table *table);

/*
 * How many bytes from the first on repeat with a period of 1 to 7 bytes, which
 * is stored; 0 when it is less than `at_least`.
 */
size_t scan_find_period(const uint8_t *bytes, size_t size, size_t at_least, size_t *period);

/* A run over bytes of that period, in time that does not grow with `size`. */
uint64_t scan_periodic(const uint64_t *entries, uint64_t entry, const uint8_t *bytes, size_t size,
		       size_t period, struct simhash_sum_table *table);

/* The state guessed before a lane, from the two bytes before it. */
static inline uint64_t guess_entry(const uint64_t *entries, const uint8_t *lane)
{
	return automaton_step(entries, automaton_step(entries, 0, lane[-2]), lane[-1]);
}

enum reconciled {
	RECONCILE_MET,	   /* the lane's end is the true one */
	RECONCILE_REACHED, /* the whole lane was run; *entry is its true end */
	RECONCILE_GAVE_UP, /* *budget is spent and nothing can be said of the table */
};

/*
 * Replace in `table` what a lane counted from the state of `guess` by what it
 * counts from that of *entry. Each byte run takes 1 of *budget.
 */
enum reconciled reconcile(const uint64_t *entries, uint64_t *entry, uint64_t guess,
			  const uint8_t *lane, size_t size, size_t *budget,
			  struct simhash_sum_table *table);

#endif

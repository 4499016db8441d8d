/*
 * The bit scan of a tag set as a finite automaton that reads bytes.
 *
 * What a scan must remember of all bits before a byte boundary is little: the
 * last 7 bits, and for each tag whether its skip counter still blocks a match
 * that those bits could complete. For the default tags there are 245 such
 * states. One step of the automaton reads a byte and tells which tags were
 * counted in it: at most one count for each tag, since a counted tag skips the
 * 7 windows that follow. The table of steps is an array of 64-bit entries,
 *
 *      63         48 47    45             5      3 2      0
 *     +-------------+--------+-----------+--------+--------+
 *     | next state  | tag 15 |    ...    | tag 1  | tag 0  |   entry of (state, byte)
 *     +-------------+--------+-----------+--------+--------+   at [state * 256 + byte]
 *
 * where each field of 3 bits is 1 when its tag was counted, else 0. Up to 7
 * entries can be added as they are before a field overflows, so the hot loop
 * of a scan is one look-up and one addition a byte.
 *
 * State 0 is the state before the first bit of a file; windows are only
 * compared once 8 bits have been seen, so neither end of a file needs a rule
 * of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_AUTOMATON_H
#define SIMHASH_CORE_AUTOMATON_H

#include "simhash.h"

#define AUTOMATON_STATE_SHIFT 48
#define AUTOMATON_FIELD_BITS 3
#define AUTOMATON_FIELD_MAX 7

struct automaton {
	uint32_t states;
	uint64_t *entries; /* states * 256 of them */
};

/*
 * Build the automaton of 16 distinct patterns. Errors: SIMHASH_E_MEMORY;
 * SIMHASH_E_RANGE should a set need more than 65,536 states.
 */
int automaton_init(struct automaton *automaton, const struct simhash_tag tags[SIMHASH_TAGS],
		   struct simhash_error *error);

void automaton_release(struct automaton *automaton);

/* The automaton of a tag set, for the scan kernels. */
const struct automaton *tag_set_automaton(const struct simhash_tag_set *set);

/* One step: from the entry that led to the present state, by `byte`. */
static inline uint64_t automaton_step(const uint64_t *entries, uint64_t entry, uint8_t byte)
{
	return entries[entry >> AUTOMATON_STATE_SHIFT << 8 | byte];
}

#endif

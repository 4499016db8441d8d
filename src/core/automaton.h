/*
 * Represents the bit scan of a tag set as a finite automaton that reads bytes.
 *
 * At a byte boundary a scan remembers little about earlier bits: the last 7 bits, and for each tag
 * whether its skip counter still blocks a match that these bits can complete. The default tags have
 * 245 such states. One step of the automaton reads a byte and returns the tags that were counted in
 * it. Each tag is counted at most once, because a counted tag skips the next 7 windows. The table
 * of steps is an array of 64-bit entries,
 *
 *      63         48 47    45             5      3 2      0
 *     +-------------+--------+-----------+--------+--------+
 *     | next state  | tag 15 |    ...    | tag 1  | tag 0  |   entry of (state, byte)
 *     +-------------+--------+-----------+--------+--------+   at [state * 256 + byte]
 *
 * where each field of 3 bits is 1 if its tag was counted, and 0 otherwise. Up to 7 entries can be
 * added before a field overflows, so the inner loop of a scan is one look-up and one addition per
 * byte.
 *
 * State 0 is the state before the first bit of a file. Windows are compared only after 8 bits, so
 * neither end of a file needs a special rule.
 *
 * The kernels that scan many lanes with vector instructions store the same state in another form:
 * for each of the 8 windows that end in the next byte, the set of tags that must not be counted
 * there. Such a set has two bytes, one bit for each tag, and a whole lane_state has 16 bytes. Each
 * form can be computed from the other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_AUTOMATON_H
#define SIMHASH_CORE_AUTOMATON_H

#include <stdbool.h>

#include "simhash.h"

#define AUTOMATON_STATE_SHIFT 48
#define AUTOMATON_FIELD_BITS 3
#define AUTOMATON_FIELD_MAX 7

#define AUTOMATON_CONTEXTS 128 /* the number of values of the last 7 bits */

/*
 * Byte w of blocked[h] is about window w of the next byte: w = 0 uses the last 7 bits before that
 * byte, w = 7 uses none. Bit t is set if tag 8 h + t is skipped in this window.
 */
struct lane_state {
	uint8_t blocked[2][8];
};

struct automaton {
	uint32_t states;
	uint64_t *entries; /* 256 entries for each state */

	/* The other form of each state, and its last 7 bits. */
	struct lane_state *lane_states;
	uint8_t *contexts;
	/* The states of context c are by_context[first_of[c]] to by_context[first_of[c + 1] - 1]. */
	uint32_t *by_context;
	uint32_t first_of[AUTOMATON_CONTEXTS + 1];
	/*
	 * The tags that can still match after a context, at each window. Bits of other tags have no
	 * meaning.
	 */
	struct lane_state relevant[AUTOMATON_CONTEXTS];

	/* The tags of each half whose first or second four bits have a given value. */
	uint8_t first_nibble[2][16], second_nibble[2][16];
};

/*
 * Build the automaton of 16 distinct patterns. Errors: SIMHASH_E_MEMORY; SIMHASH_E_RANGE if a set
 * needs more than 65,536 states.
 */
int automaton_init(struct automaton *automaton, const struct simhash_tag tags[SIMHASH_TAGS],
		   struct simhash_error *error);

void automaton_release(struct automaton *automaton);

/* Return the automaton of a tag set, for the scan kernels. */
const struct automaton *tag_set_automaton(const struct simhash_tag_set *set);

/* Are two lane states equivalent after `context`? */
bool lane_state_same(const struct automaton *automaton, uint8_t context,
		     const struct lane_state *one, const struct lane_state *other);

/* Return an entry whose state behaves like a lane state after `context`. */
uint64_t automaton_entry_of(const struct automaton *automaton, uint8_t context,
			    const struct lane_state *state);

static inline const struct lane_state *automaton_lane_state(const struct automaton *automaton,
							    uint64_t entry)
{
	return &automaton->lane_states[entry >> AUTOMATON_STATE_SHIFT];
}

/* Read one byte. `entry` led to the current state; returns the next entry. */
static inline uint64_t automaton_step(const uint64_t *entries, uint64_t entry, uint8_t byte)
{
	return entries[entry >> AUTOMATON_STATE_SHIFT << 8 | byte];
}

#endif

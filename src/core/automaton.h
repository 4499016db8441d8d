/*
 * The bit scan of a tag set as a finite automaton that reads bytes.
 *
 * At a byte boundary a scan must remember little about the bits before it: the last 7 bits, and for
 * each tag whether its skip counter still blocks a match that those bits could complete. The
 * default tags have 245 such states. One step of the automaton reads a byte and says which tags
 * were counted in it: at most one count for each tag, since a counted tag skips the 7 windows that
 * follow. The table of steps is an array of 64-bit entries,
 *
 *      63         48 47    45             5      3 2      0
 *     +-------------+--------+-----------+--------+--------+
 *     | next state  | tag 15 |    ...    | tag 1  | tag 0  |   entry of (state, byte)
 *     +-------------+--------+-----------+--------+--------+   at [state * 256 + byte]
 *
 * where each field of 3 bits is 1 when its tag was counted, else 0. Up to 7 entries can be added as
 * they are before a field overflows, so the hot loop of a scan is one look-up and one addition a
 * byte.
 *
 * State 0 is the state before the first bit of a file. Windows are only compared once 8 bits have
 * been seen, so neither end of a file needs its own rule.
 *
 * The kernels that scan many lanes by vector instructions keep the same memory in another form: for
 * each of the 8 windows that end in the next byte, the set of tags that may not be counted there.
 * Such a set is two bytes, one bit a tag, and a whole lane_state has 16 bytes. Each form can be
 * computed from the other.
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

#define AUTOMATON_CONTEXTS 128 /* values of the last 7 bits */

/*
 * blocked[h] holds 8 bytes. Byte w tells of window w of the next byte (w = 0
 * takes the last 7 bits before that byte, w = 7 none) which of the tags 8 h to
 * 8 h + 7 are skipped there: bit t is set when tag 8 h + t is.
 */
struct lane_state {
	uint8_t blocked[2][8];
};

struct automaton {
	uint32_t states;
	uint64_t *entries; /* states * 256 of them */

	/* The other form of each state, and the 7 bits before it. */
	struct lane_state *lane_states;
	uint8_t *contexts;
	/* The states of context c are by_context[first_of[c]] to by_context[first_of[c + 1] - 1]. */
	uint32_t *by_context;
	uint32_t first_of[AUTOMATON_CONTEXTS + 1];
	/* Which tags can still come, after a context, at each window. Others' bits say nothing. */
	struct lane_state relevant[AUTOMATON_CONTEXTS];

	/* The tags of each half whose first or second four bits are a value. */
	uint8_t first_nibble[2][16], second_nibble[2][16];
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

/* Do two lane states behave alike after `context`? */
bool lane_state_same(const struct automaton *automaton, uint8_t context,
		     const struct lane_state *one, const struct lane_state *other);

/* The entry whose state behaves like a lane state after `context`. */
uint64_t automaton_entry_of(const struct automaton *automaton, uint8_t context,
			    const struct lane_state *state);

static inline const struct lane_state *automaton_lane_state(const struct automaton *automaton,
							    uint64_t entry)
{
	return &automaton->lane_states[entry >> AUTOMATON_STATE_SHIFT];
}

/* One step: from the entry that led to the present state, by `byte`. */
static inline uint64_t automaton_step(const uint64_t *entries, uint64_t entry, uint8_t byte)
{
	return entries[entry >> AUTOMATON_STATE_SHIFT << 8 | byte];
}

#endif

/*
 * The bit scan of a tag set as a finite automaton that reads bytes.
 *
 * What a scan must remember of all bits before a byte boundary is little: the
 * last 7 bits, and for each tag whether its skip counter still blocks a match
 * that those bits could complete. For the default tags there are 245 such
 * states. One step of the automaton reads a byte and tells which tags were
 * counted in it: at most one count for each tag, since a counted tag skips the
 * 7 windows that follow. The table of steps is an array of 32-bit entries,
 *
 *      31            16 15             0
 *     +----------------+----------------+
 *     |   next state   | tags counted   |   entry of (state, byte) at
 *     +----------------+----------------+   [state * 256 + byte]
 *
 * where bit t of the lower half stands for the tag at position t. State 0 is
 * the state before the first bit of a file; windows are only compared once 8
 * bits have been seen, so neither end of a file needs a rule of its own.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_AUTOMATON_H
#define SIMHASH_CORE_AUTOMATON_H

#include "simhash.h"

struct automaton {
	uint32_t states;
	uint32_t *entries; /* states * 256 of them */
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
static inline uint32_t automaton_step(const struct automaton *automaton, uint32_t entry,
				      uint8_t byte)
{
	return automaton->entries[(size_t)(entry >> 16) << 8 | byte];
}

#endif

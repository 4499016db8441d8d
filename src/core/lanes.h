/*
 * Scans bytes with vector instructions: a block is cut into as many lanes as a vector has bytes,
 * and all lanes take a step of one byte at once.
 *
 * lanes_template.h defines the steps once for all instruction sets, and each instruction set makes
 * a lane_engine from it. This header has the work around the steps: the state before each lane is
 * guessed, checked afterwards against the end of the lane before it, and corrected if it was wrong.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CORE_LANES_H
#define SIMHASH_CORE_LANES_H

#include "core/automaton.h"

#define LANES_MAX 64
#define LANE_MIN 16 /* bytes */

struct lane_engine {
	size_t lanes; /* at most LANES_MAX */
	/*
	 * Scan `lanes` pieces of `size` bytes, at least LANE_MIN each, that lie one after
	 * another. context[l] and state[l] tell what was before lane l; state[l] becomes
	 * what is after it. The hits are added to `table`, unless it is NULL.
	 */
	void (*run)(const struct automaton *automaton, const uint8_t *bytes, size_t size,
		    const uint8_t *context, struct lane_state *state,
		    struct simhash_sum_table *table);
};

/* A scan kernel's `update`, by way of an engine. */
void lanes_update(const struct lane_engine *engine, struct simhash_scanner *scanner,
		  const uint8_t *bytes, size_t size_bytes);

#endif

/*
 * Scans bytes with vector instructions: a block is cut into as many lanes as a vector has bytes,
 * and each step reads one byte of every lane.
 *
 * lanes_template.h defines the steps once for all instruction sets, and each instruction set makes
 * a lane_engine from it. The functions here guess the state before each lane, compare it afterwards
 * with the end of the previous lane, and correct it if it was wrong.
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
	 * Scan `lanes` contiguous pieces of `size` bytes each, at least LANE_MIN. context[l] and
	 * state[l] describe the bits before lane l; state[l] becomes the state after the lane. The
	 * hits are added to `table`, unless it is NULL.
	 */
	void (*run)(const struct automaton *automaton, const uint8_t *bytes, size_t size,
		    const uint8_t *context, struct lane_state *state,
		    struct simhash_sum_table *table);
};

/* The `update` function of a scan kernel that uses an engine. */
void lanes_update(const struct lane_engine *engine, struct simhash_scanner *scanner,
		  const uint8_t *bytes, size_t size_bytes);

#endif

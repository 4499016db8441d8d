/*
 * Generates random numbers for unit tests.
 * SPDX-License-Identifier: MIT
 */
#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = UINT64_C(88172645463325252);

void random_begin(void)
{
	const char *seed = getenv("SIMHASH_TEST_SEED");

	if (seed != NULL && strtoull(seed, NULL, 10) != 0)
		state = strtoull(seed, NULL, 10);
	printf("SIMHASH_TEST_SEED=%" PRIu64 "\n", state);
}

uint64_t random_seed(uint64_t seed)
{
	uint64_t before = state;

	state = seed;
	return before;
}

uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(0x2545f4914f6cdd1d);
}

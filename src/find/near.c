/*
 * Comparing rows in eight lanes: what every processor with vectors has, and others do without.
 * SPDX-License-Identifier: MIT
 */
#define NEAR_VECTOR 8
#include "find/near.h"

unsigned near_next_portable(const struct near_rows *rows, const struct nearness *near,
			    size_t *chunk, size_t end)
{
	return near_next_here(rows, near, chunk, end);
}

near_fn *near_choose(void)
{
#ifdef SIMHASH_X86_KERNELS
	if (__builtin_cpu_supports("avx2"))
		return near_next_avx2;
#endif
	return near_next_portable;
}

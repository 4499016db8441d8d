/*
 * Counts bits of hashes with AVX2: compiles bit_counts.h for it.
 * SPDX-License-Identifier: MIT
 */
#include "measure/bit_counts.h"

void count_blocks_avx2(struct bit_counts *counts, const uint64_t *hashes, size_t blocks)
{
	count_blocks_here(counts, hashes, blocks);
}

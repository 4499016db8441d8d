/*
 * Replaces the compiler's <immintrin.h>, so that kernels for instruction sets that this machine
 * lacks can run here, slowly and in plain C.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_EMULATED_IMMINTRIN_H
#define TESTS_EMULATED_IMMINTRIN_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>

/* A function that SIMDe lacks. */
static inline __m512i _mm512_alignr_epi32(__m512i a, __m512i b, int n)
{
	int32_t words[32], *from = words + n;

	_mm512_storeu_si512(words, b);
	_mm512_storeu_si512(words + 16, a);
	return _mm512_loadu_si512(from);
}

/* A prefetch reads the byte, so that a guard page detects prefetches outside the data. */
#undef _mm_prefetch
#define _mm_prefetch(p, hint) ((void)*(const volatile char *)(p))

#define __builtin_cpu_supports(feature) 1

#endif

/*
 * Stands in for the compiler's <immintrin.h>, so that kernels for instruction
 * sets that this machine lacks run here all the same, in plain C and slowly.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_EMULATED_IMMINTRIN_H
#define TESTS_EMULATED_IMMINTRIN_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#include <simde/x86/avx512.h>

#define __builtin_cpu_supports(feature) 1

#endif

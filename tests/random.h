/*
 * Generates random numbers for unit tests. It prints their seed, so that a failure shows it;
 * $SIMHASH_TEST_SEED sets it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

/* Seed the numbers, and print the seed. Without this call, the default seed is used. */
void random_begin(void);

/* Continue from another state; returns the previous one. */
uint64_t random_seed(uint64_t seed);

/* 64 bits, by xorshift64*. */
uint64_t next_random(void);

#endif

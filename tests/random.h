/*
 * Random numbers of unit tests. Their seed is printed, so that a failure shows it, and can be
 * given as $SIMHASH_TEST_SEED.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdint.h>

/* Seed the numbers, and print the seed. Without it they begin with the default one. */
void random_begin(void);

/* Go on from another state; returns the one before. */
uint64_t random_seed(uint64_t seed);

/* 64 bits, by xorshift64*. */
uint64_t next_random(void);

#endif

/*
 * Makes contents, measures and sketches for the tests of measures. A failure ends the test.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_MEASURE_SKETCHING_H
#define TESTS_MEASURE_SKETCHING_H

#include "simhash_measures.h"

struct simhash_measure *measure_of(const char *text);
struct simhash_measure *measure_weighted(const char *text, const char *lines);
uint64_t sketch_by(const struct simhash_measure *measure, const void *bytes, size_t size,
		   uint8_t *sketch);
uint64_t sketch_of(const char *text, const void *bytes, size_t size, uint8_t *sketch);
uint64_t number_at(const uint8_t *bytes);
size_t make_bytes(uint8_t *bytes, size_t size);
void make_content(uint8_t *bytes, size_t size, int kind);
size_t write_set(char *text, unsigned from, unsigned to, unsigned repeats);

#endif

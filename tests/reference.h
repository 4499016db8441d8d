/*
 * Declares the oracle of the scan and the keys. It was written from the description of the
 * algorithm, works bit by bit, and uses no code or types of the library.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_REFERENCE_H
#define TESTS_REFERENCE_H

#include <stddef.h>
#include <stdint.h>

struct reference_tag {
	uint8_t pattern;
	uint64_t scatter_thousandths, skew_thousandths;
};

extern const struct reference_tag reference_sample[16];

/* The 16 counts of a complete file in memory. */
void reference_counts(const struct reference_tag tags[16], const uint8_t *bytes, size_t size,
		      uint64_t counts[16]);

/* uniform, scatter, skew, and these three shifted by the extension of `name`. */
void reference_keys(const struct reference_tag tags[16], const uint64_t counts[16],
		    const char *name, size_t name_length, uint64_t keys[6]);

#endif

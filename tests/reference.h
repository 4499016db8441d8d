/*
 * The oracle of the scan and the keys: written from the words of the algorithm,
 * bit by bit and with nothing of the library's code or types.
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

/* The 16 counts of a whole file in memory. */
void reference_counts(const struct reference_tag tags[16], const uint8_t *bytes, size_t size,
		      uint64_t counts[16]);

/* uniform, scatter, skew, and the three shifted by the extension of `name`. */
void reference_keys(const struct reference_tag tags[16], const uint64_t counts[16],
		    const char *name, size_t name_length, uint64_t keys[6]);

#endif

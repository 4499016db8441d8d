/*
 * Declares the oracle of resemblance sketches. It was written from docs/algorithm.md, processes one
 * shingle at a time, and uses no code or types of the library. Only the hash of a text is xxHash's.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_REFERENCE_RESEMBLANCE_H
#define TESTS_REFERENCE_RESEMBLANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rank of the 16 bytes at p. */
unsigned reference_rank(const uint8_t *p);

/* The level of a content of this size. */
unsigned reference_level(uint64_t size);

/* The registers of these bytes, as if they were not a text. */
void reference_registers(const uint8_t *bytes, size_t size, uint8_t sketch[128]);

/* The normal form of a text, which the caller frees, or NULL if the content is not a text. */
uint8_t *reference_normal_form(const uint8_t *bytes, size_t size, size_t *normal_size);

/* The registers, the text size and the text hash; both are zeros if the sketch has none. */
void reference_sketch(const uint8_t *bytes, size_t size, uint8_t sketch[144]);

/*
 * The pieces of a content, ascending, which the caller frees; their number and their level. The
 * levels are the wanted ones, for a text and for another content.
 */
uint64_t *reference_pieces(const uint8_t *bytes, size_t size, unsigned text_level,
			   unsigned other_level, size_t *count, unsigned *level);

/* The stored form of pieces; `bytes` has room for 2 + 7 * count bytes of zeros. Returns its size. */
size_t reference_store_pieces(const uint64_t *values, size_t count, unsigned level, uint8_t *bytes);

/* False: the sketches give no estimate. */
bool reference_resemblance(const uint8_t a[128], uint64_t size_a, const uint8_t b[128],
			   uint64_t size_b, double *resemblance);

/* The exact share of shingles that both contents have, among the shingles of either. */
double reference_jaccard(const uint8_t *a, size_t size_a, const uint8_t *b, size_t size_b);

/*
 * Fill a buffer with bytes whose every shingle is sampled at every level, which is the worst input.
 * Otherwise they are random.
 */
void reference_fill_sampled(uint8_t *bytes, size_t size);

#endif

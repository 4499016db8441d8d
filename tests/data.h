/*
 * Kinds of data that have broken or slowed a scan before.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DATA_H
#define TESTS_DATA_H

#include <stddef.h>
#include <stdint.h>

enum data_kind {
	DATA_RANDOM,
	DATA_WORDS,
	DATA_ZERO_RUNS,	  /* runs of zeros of odd lengths between random bytes, as in programs */
	DATA_SPARSE_BITS, /* long overlaps of 00, cut at every phase */
	DATA_ZEROS,
	DATA_ONES,
	DATA_ZEROS_SHIFTED, /* zeros whose phase was set by one bit long ago */
	DATA_TAG_49,	    /* 01001001 with period 3, never in phase with bytes */
	DATA_TAG_DB,	    /* the same of db, broken now and then */
	/* A tag chained to itself without end. */
	DATA_CHAIN_18, /* at random gaps */
	DATA_CHAIN_DB, /* mostly at gaps of 3, so that there are three ways to take every third */
	DATA_CHAIN_33, /* every 4 bits */
	DATA_CHAIN_74, /* every 7 bits */
	DATA_KINDS
};

const char *data_name(enum data_kind kind);

/* Fill a buffer: always with the same for the same kind. */
void data_fill(enum data_kind kind, uint8_t *bytes, size_t size);

/*
 * Fill a buffer with `tag` beginning again and again, each time by one of `gaps`
 * later, at random. To be found everywhere, each gap must be a period of the tag.
 */
void data_chain(uint8_t tag, const unsigned *gaps, unsigned gap_count, uint8_t *bytes, size_t size);

void data_seed(uint64_t seed);
uint8_t data_random_byte(void);

#endif

/*
 * Declares kinds of data that have broken a scan or slowed it before.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DATA_H
#define TESTS_DATA_H

#include <stddef.h>
#include <stdint.h>

enum data_kind {
	DATA_RANDOM,
	DATA_WORDS,
	DATA_ZERO_RUNS,	  /* runs of zeros with odd lengths between random bytes, as in programs */
	DATA_SPARSE_BITS, /* long overlaps of 00, cut at every phase */
	DATA_ZEROS,
	DATA_ONES,
	DATA_ZEROS_SHIFTED, /* zeros whose phase was set by one bit much earlier */
	DATA_TAG_49,	    /* 01001001 with period 3, never in phase with bytes */
	DATA_TAG_DB,	    /* the same with db, with a few interruptions */
	/* A tag that overlaps itself endlessly. */
	DATA_CHAIN_18, /* at random distances */
	/* Mostly at distances of 3, so that there are three ways to take every third one. */
	DATA_CHAIN_DB,
	DATA_CHAIN_33, /* every 4 bits */
	DATA_CHAIN_74, /* every 7 bits */
	DATA_KINDS
};

const char *data_name(enum data_kind kind);

/* Fill a buffer. The same kind always produces the same data. */
void data_fill(enum data_kind kind, uint8_t *bytes, size_t size);

/*
 * Fill a buffer with copies of `tag`. The distance to each next copy is chosen from `gaps` at
 * random. Each gap must be a period of the tag, so that all copies are complete.
 */
void data_chain(uint8_t tag, const unsigned *gaps, unsigned gap_count, uint8_t *bytes, size_t size);

void data_seed(uint64_t seed);
uint8_t data_random_byte(void);

#endif

/*
 * Estimates the resemblance of two contents from 128 bytes of each.
 *
 * A resemblance sketch is a one-permutation MinHash (P. Li, A. Owen and C.-H. Zhang, "One
 * Permutation Hashing", 2012) of the shingles of a content: the set of all its runs of 16 bytes (A.
 * Broder, "On the resemblance and containment of documents", 1997). If a content has 2 KiB or more,
 * the sketch uses a sample of the shingles that depends only on the bytes. The sum tables of
 * simhash.h show which files may be similar. The sketches show whether and how much they resemble
 * each other, without reading them again.
 *
 *     const char *text = "the quick brown fox jumps over the lazy dog, which does not care";
 *     const char *other = "the quick brown cat jumps over the lazy dog, which does not care";
 *     struct simhash_resemblance_sketch a, b;
 *     double resemblance;
 *
 *     simhash_resemblance_sketch_compute(text, strlen(text), &a);
 *     simhash_resemblance_sketch_compute(other, strlen(other), &b);
 *     if (simhash_resemblance_estimate(&a, (int64_t)strlen(text), &b, (int64_t)strlen(other),
 *                                      &resemblance))
 *             printf("%.0f %%\n", 100 * resemblance);
 *
 * The hash functions have no key, so somebody can forge or hide a resemblance. It is a
 * filter, never a proof that two files are the same.
 *
 * The conventions of simhash.h apply.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_RESEMBLANCE_H
#define SIMHASH_RESEMBLANCE_H

#include "simhash.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The number of registers, of one byte each, and the bytes that follow them. */
#define SIMHASH_RESEMBLANCE_REGISTERS 128
#define SIMHASH_RESEMBLANCE_TEXT 16

/*
 * One byte for each register: 0 if no shingle has this register. A content of fewer than 16 bytes
 * has no shingle and a sketch of zeros. The values are the same on every machine; you may store and
 * exchange them.
 *
 * Texts are sketched without their line ends, tabs and indentation: each run of white space counts
 * as one blank. Contents without control characters, in an encoding that extends ASCII or in UTF-16
 * with a byte-order mark, are texts; docs/algorithm.md has the rule. For a text, `text` has the size
 * of its normal form in bytes, at least 16, and then the XXH3-64 hash of it, 8 bytes each, the
 * highest byte first. For other contents, and if no register is in use, `text` is all zeros.
 */
struct simhash_resemblance_sketch {
	uint8_t registers[SIMHASH_RESEMBLANCE_REGISTERS];
	uint8_t text[SIMHASH_RESEMBLANCE_TEXT];
};

/* Compute the sketch of `size_bytes` bytes of memory. It takes 80 KiB of the stack. */
SIMHASH_API void simhash_resemblance_sketch_compute(const void *bytes, size_t size_bytes,
						    struct simhash_resemblance_sketch *sketch);

/*
 * A scan of a content in pieces. The scanner holds back at most the first 68 KiB, because the size
 * of the sample depends on the size of the content. It takes about 72 KiB of memory.
 */
struct simhash_resemblance_scanner;

/* Make a scanner and begin a content. The caller frees it. Error: SIMHASH_E_MEMORY. */
SIMHASH_CHECKED int simhash_resemblance_scanner_new(struct simhash_resemblance_scanner **scanner,
						    struct simhash_error *error);
SIMHASH_API void simhash_resemblance_scanner_free(struct simhash_resemblance_scanner *scanner);

/* Begin another content. */
SIMHASH_API void simhash_resemblance_scanner_begin(struct simhash_resemblance_scanner *scanner);

/*
 * Take the next `size_bytes` bytes. The result does not depend on how a content is cut into calls.
 */
SIMHASH_API void simhash_resemblance_scanner_update(struct simhash_resemblance_scanner *scanner,
						    const void *bytes, size_t size_bytes);

/* Store the sketch of all bytes so far. The scan can continue afterwards. */
SIMHASH_API void
simhash_resemblance_scanner_finish(const struct simhash_resemblance_scanner *scanner,
				   struct simhash_resemblance_sketch *sketch);

/*
 * Are both contents texts that differ only in white space, a byte-order mark or the encoding,
 * UTF-8 and UTF-16? The sizes and hashes of their normal forms are equal. Texts of fewer than 16
 * bytes and other texts whose sketches are zeros are never the same.
 */
SIMHASH_API bool simhash_resemblance_same_text(const struct simhash_resemblance_sketch *a,
					       const struct simhash_resemblance_sketch *b);

/*
 * Estimate the resemblance of two contents, 0 to 1: the number of shingles that both have, divided
 * by the number of shingles that at least one has. The estimate is at most the smaller size divided
 * by the larger size, because a sketch does not count repetitions. The sizes are the sizes of the
 * contents in bytes; for texts, the sizes of their normal forms take their place. The same text has
 * a resemblance of 1. Otherwise returns false and stores nothing if fewer than 16 registers are in
 * use; such sketches do not suffice.
 *
 * The standard deviation is sqrt(J (1 - J) / 128) for a resemblance J: 0.044 at 0.5, 0.035 at 0.8,
 * 0.026 at 0.9, and 0.012 at 0.98. If repetitions count, it is up to 0.07.
 */
SIMHASH_API bool simhash_resemblance_estimate(const struct simhash_resemblance_sketch *a,
					      int64_t size_a_bytes,
					      const struct simhash_resemblance_sketch *b,
					      int64_t size_b_bytes, double *resemblance);

/*
 * Estimate how much of the smaller content is in the larger, 0 to 1. Returns false in the same
 * case. The standard deviation is 0.06 if the larger content has 1.2 times the size of the smaller,
 * 0.07 at 1.5 times and 0.11 at twice the size, where the estimate is also 0.12 too high on average
 * for contents with repetitions. At ten times it is noise.
 */
SIMHASH_API bool simhash_containment_estimate(const struct simhash_resemblance_sketch *a,
					      int64_t size_a_bytes,
					      const struct simhash_resemblance_sketch *b,
					      int64_t size_b_bytes, double *share);

#ifdef __cplusplus
}
#endif
#endif

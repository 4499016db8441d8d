/*
 * The other measures of similarity that the literature offers, beside the sum
 * tables of simhash.h: what a file is made of is taken apart into features, and
 * the features are condensed to a sketch of a few bytes.
 *
 *     struct simhash_measure *measure;
 *     struct simhash_sketcher *sketcher;
 *     uint8_t a[SIMHASH_SKETCH_MAX], b[SIMHASH_SKETCH_MAX];
 *
 *     if (simhash_measure_new("minhash:words=3", &measure, &error) != 0 ||
 *         simhash_sketcher_new(measure, &sketcher, &error) != 0)
 *             errx(1, "%s", error.message);
 *     simhash_sketcher_update(sketcher, bytes, size);      // any number of times
 *     features = simhash_sketcher_finish(sketcher, a);     // and begins anew
 *     ...
 *     printf("%.3f\n", simhash_sketch_similarity(measure, a, b));
 *     simhash_sketcher_free(sketcher);
 *     simhash_measure_free(measure);
 *
 * Besides there are exact measures of two contents in memory, and the search for
 * pairs of fingerprints at a Hamming distance of at most k.
 *
 * The conventions are those of simhash.h. A measure never changes after it is made
 * and may be shared by any number of threads; a sketcher belongs to one at a time.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURES_H
#define SIMHASH_MEASURES_H

#include <simhash.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Measures --------------------------------------------------------- */

/* A measure with its parameters. */
struct simhash_measure;

/* No sketch is larger, in bytes. */
#define SIMHASH_SKETCH_MAX 8192

/* The longest canonical text of a measure, in bytes, without the terminating zero. */
#define SIMHASH_MEASURE_TEXT_MAX 120

/*
 * Make a measure from a text NAME[:PARAMETER,...]. The names:
 *
 *     simhash64    64 bits by the signs of weighted sums of hash bits (Charikar 2002)
 *     simhash128   the same with 128 bits
 *     minhash      the least values of `functions` hash functions (Broder 1997), as
 *                  SuperMinHash computes them (Ertl 2017)
 *     bottom       the `least` least values of one hash function
 *
 * and the parameters:
 *
 *     bytes=N       features are all N bytes in a row, 1 to 64; the standard: bytes=8
 *     words, words=N  features are words as Unicode cuts text (UAX #29), or N words in
 *                  a row, 1 to 16
 *     weights=FILE  of simhash64 and simhash128: weights of features, see below
 *     functions=K   of minhash: 16, 32, 64, 128, 256, 512 or 1024; the standard: 128
 *     least=N       of bottom: 8 to 1024; the standard: 64
 *     cluster=N     of minhash and bottom: how many of the least values make the cluster
 *                  key, 1 to 16; the standard: 4
 *
 * A feature weighs 1 each time that it occurs, or what FILE says: lines of a weight, 0 to
 * 1000000, a blank and the bytes of a feature, with \xHH for any byte; "default W" is the
 * weight of all others; '#' at the start of a line begins a comment.
 *
 * Errors: SIMHASH_E_SYNTAX, SIMHASH_E_RANGE, SIMHASH_E_SYSTEM, SIMHASH_E_MEMORY. On
 * success *measure is the caller's to free.
 */
SIMHASH_API int simhash_measure_new(const char *text, struct simhash_measure **measure,
				    struct simhash_error *error);
SIMHASH_API void simhash_measure_free(struct simhash_measure *measure);

/* The names of all measures, one after the other; NULL from the end on. */
SIMHASH_API const char *simhash_measure_name(unsigned number);

/*
 * The measure's canonical text: name and all parameters that bear on its sketches, such as
 * "minhash:bytes=8,functions=128,cluster=4"; weights are there as a hash of them. Sketches
 * of equal texts can be compared. Lives as long as the measure.
 */
SIMHASH_API const char *simhash_measure_text(const struct simhash_measure *measure);

/* The bytes of each of its sketches, the same on every machine. */
SIMHASH_API size_t simhash_measure_sketch_size(const struct simhash_measure *measure);

/* ---- From a stream to a sketch --------------------------------------- */

struct simhash_sketcher;

/* Error: SIMHASH_E_MEMORY. On success *sketcher is the caller's to free, before its measure. */
SIMHASH_API int simhash_sketcher_new(const struct simhash_measure *measure,
				     struct simhash_sketcher **sketcher,
				     struct simhash_error *error);
SIMHASH_API void simhash_sketcher_free(struct simhash_sketcher *sketcher);

/* The next bytes. How a stream is cut into calls never changes the sketch. */
SIMHASH_API void simhash_sketcher_update(struct simhash_sketcher *sketcher, const void *bytes,
					 size_t size_bytes);

/*
 * Store the sketch of all bytes, and begin anew. Returns how many features there were,
 * each as often as it occurred; 0 too where all of them weigh nothing. A sketch of no
 * features says nothing: leave it out of comparisons.
 */
SIMHASH_API uint64_t simhash_sketcher_finish(struct simhash_sketcher *sketcher, uint8_t *sketch);

/* ---- Comparing sketches ---------------------------------------------- */

/*
 * How similar two sketches are, 0 to 1: of simhash64 and simhash128 the share of equal
 * bits, of minhash and bottom the estimated Jaccard index of the sets of features. *deviation,
 * unless it is NULL, is the standard deviation of that estimate; 0 where it is none: of
 * simhash64 and simhash128, and of bottom where the sketches hold all features.
 */
SIMHASH_API double simhash_sketch_similarity(const struct simhash_measure *measure,
					     const uint8_t *a, const uint8_t *b, double *deviation);

/*
 * A number that is the same for sketches that are much alike: the least values combined,
 * of simhash64 and simhash128 the first 64 bits. It needs no other sketch, so that the
 * clusters of files stay what they are whatever comes and goes.
 */
SIMHASH_API int64_t simhash_sketch_cluster(const struct simhash_measure *measure,
					   const uint8_t *sketch);

/* The least similarity that pairs can be looked for with, and the standard one. */
SIMHASH_API double simhash_measure_least_similarity(const struct simhash_measure *measure);
SIMHASH_API double simhash_measure_standard_similarity(const struct simhash_measure *measure);

/* Told of a pair of numbers a < b; -1 with the error filled ends the search. */
typedef int simhash_pair_fn(void *context, size_t a, size_t b, double similarity,
			    struct simhash_error *error);

/*
 * The pairs of `count` sketches, one after the other in memory, that are at least
 * `min_similarity` alike, each once. Of simhash64, simhash128 and bottom these are all such
 * pairs; of minhash a pair just at the limit is lost once in a thousand, and one above it
 * still more seldom. Errors: SIMHASH_E_RANGE for a similarity below the least, SIMHASH_E_MEMORY.
 */
SIMHASH_API int simhash_sketch_pairs(const struct simhash_measure *measure, const uint8_t *sketches,
				     size_t count, double min_similarity, simhash_pair_fn *pair,
				     void *context, struct simhash_error *error);

/* ---- Fingerprints by features of one's own --------------------------- */

/* The weighted sums whose signs are the bits of a feature simhash. All zero to begin with. */
struct simhash_sums {
	int64_t sum[64];
};

/* Add a feature by its hash, or the part of it that makes these bits. */
SIMHASH_API void simhash_sums_add(struct simhash_sums *sums, uint64_t hash, int64_t weight);

/* Bit i is set where sum i is above 0. */
SIMHASH_API uint64_t simhash_sums_fingerprint(const struct simhash_sums *sums);

/* ---- Hamming search --------------------------------------------------- */

#define SIMHASH_HAMMING_MAX 8 /* bits */

/*
 * Fingerprints of 64 bits within a Hamming distance k, 0 to SIMHASH_HAMMING_MAX, by sorted
 * tables of permuted fingerprints (Manku, Jain, Das Sarma, WWW 2007). The bits are cut
 * into `blocks` blocks. Two fingerprints that differ in k bits differ in at most k blocks, so
 * they agree in one choice of blocks - k of them, and there is a table for each such choice
 * with these blocks in front. More blocks make more tables, of longer prefixes, so that
 * fewer fingerprints agree by chance. The cheapest number for n and k is taken.
 */
struct simhash_hamming_plan {
	unsigned blocks, tables;
	unsigned prefix_bits; /* least of any table */
};

/* The tables for all pairs of `count` fingerprints. */
SIMHASH_API void simhash_hamming_plan(size_t count, unsigned k, struct simhash_hamming_plan *plan);

/* All pairs within k, each once, in no order. Errors: SIMHASH_E_RANGE, SIMHASH_E_MEMORY. */
typedef int simhash_hamming_fn(void *context, size_t a, size_t b, unsigned distance,
			       struct simhash_error *error);
SIMHASH_API int simhash_hamming_pairs(const uint64_t *fingerprints, size_t count, unsigned k,
				      simhash_hamming_fn *pair, void *context,
				      struct simhash_error *error);

/*
 * Tables that are kept for queries. The fingerprints are borrowed; 16 bytes a fingerprint and
 * table. `a` of what is told is the number of a fingerprint, and `b` is 0.
 */
struct simhash_hamming_index;
SIMHASH_API int simhash_hamming_index_new(const uint64_t *fingerprints, size_t count, unsigned k,
					  struct simhash_hamming_index **index,
					  struct simhash_error *error);
SIMHASH_API void simhash_hamming_index_free(struct simhash_hamming_index *index);
SIMHASH_API int simhash_hamming_index_query(const struct simhash_hamming_index *index,
					    uint64_t fingerprint, simhash_hamming_fn *found,
					    void *context, struct simhash_error *error);

/* ---- Exact measures of two contents ----------------------------------- */

/*
 * The length of a longest common subsequence, as diff computes it, in memory proportional
 * to the sizes: of bytes, or of lines, each with its newline. The time of very different
 * contents is the product of the sizes over 64. `max_steps` bounds it, in steps of about
 * a nanosecond; 0 is no bound. Errors: SIMHASH_E_MEMORY; SIMHASH_E_RANGE beyond the bound.
 */
SIMHASH_API int simhash_lcs_bytes(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
				  uint64_t max_steps, uint64_t *length,
				  struct simhash_error *error);

struct simhash_lcs_lines {
	uint64_t lines_a, lines_b, common;
};
SIMHASH_API int simhash_lcs_lines(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
				  uint64_t max_steps, struct simhash_lcs_lines *lines,
				  struct simhash_error *error);

/* Sets of features compared: how many each has, how many are in both, and in either. */
struct simhash_overlap {
	uint64_t a, b, both, either;
	/* The same of bags, in which a feature is as often as it occurs. */
	uint64_t bag_a, bag_b, bag_both, bag_either;
};

/*
 * Take two contents apart into features, "bytes=N", "words" or "words=N", and compare the
 * sets: bags of words, and shingles of words or bytes (Broder 1997). Features are told apart
 * by 64-bit hashes. Errors: SIMHASH_E_SYNTAX, SIMHASH_E_RANGE, SIMHASH_E_MEMORY.
 */
SIMHASH_API int simhash_overlap(const char *features, const void *a, size_t a_bytes, const void *b,
				size_t b_bytes, struct simhash_overlap *overlap,
				struct simhash_error *error);

#ifdef __cplusplus
}
#endif
#endif

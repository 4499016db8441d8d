/*
 * Computes other measures of similarity from the literature, in addition to the sum tables of
 * simhash.h; part of libsimhash. A measure divides a content into features and condenses them to a
 * sketch of a few bytes. Two sketches show how similar the contents are.
 *
 *     struct simhash_measure *measure;
 *     struct simhash_sketcher *sketcher;
 *     uint8_t a[SIMHASH_SKETCH_MAX], b[SIMHASH_SKETCH_MAX];
 *     const char *text = "the quick brown fox jumps over the lazy dog";
 *     struct simhash_error error;
 *     uint64_t features;
 *
 *     if (simhash_measure_new("minhash:words=3", &measure, &error) != 0 ||
 *         simhash_sketcher_new(measure, &sketcher, &error) != 0)
 *             errx(1, "%s", error.message);
 *     simhash_sketcher_update(sketcher, text, strlen(text));
 *     if (simhash_sketcher_finish(sketcher, a, sizeof a, &features, &error) != 0)
 *             errx(1, "%s", error.message);
 *     simhash_sketcher_update(sketcher, text + 4, strlen(text) - 4);
 *     if (simhash_sketcher_finish(sketcher, b, sizeof b, NULL, &error) != 0)
 *             errx(1, "%s", error.message);
 *     printf("%.3f of %d features\n", simhash_sketch_similarity(measure, a, b, NULL),
 *            (int)features);
 *     simhash_sketcher_free(sketcher);
 *     simhash_measure_free(measure);
 *
 * The header also offers exact measures of two contents in memory, and the search for pairs of
 * fingerprints within a Hamming distance. The conventions of simhash.h apply, also for threads.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURES_H
#define SIMHASH_MEASURES_H

#include <simhash.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Weights of features ---------------------------------------------- */

/* The weights of features, for the measures that accept weights. */
struct simhash_weights;

/*
 * Make weights from text. A line has a weight (0 to 1000000), a blank, and the bytes of a feature.
 * In these bytes "\xHH" is any byte and "\\" is a backslash. The line "default W" gives the weight
 * of all other features; without it that weight is 1. '#' at the start of a line begins a comment.
 * A carriage return before the end of a line is ignored. The text is copied. `file_name` is used in
 * messages, which have the form "FILE:LINE: ...". Errors: SIMHASH_E_SYNTAX, SIMHASH_E_MEMORY.
 */
SIMHASH_CHECKED int simhash_weights_parse(const char *text, size_t size_bytes,
					  const char *file_name, struct simhash_weights **weights,
					  struct simhash_error *error);

/*
 * Make weights from a file of at most 256 MiB, in UTF-8, or in UTF-16 with a byte-order mark. A
 * file that is not empty must have a weight. Errors: the errors of simhash_weights_parse
 * (SIMHASH_E_SYNTAX also for a file without a weight), and SIMHASH_E_SYSTEM.
 */
SIMHASH_CHECKED int simhash_weights_read(const char *path, struct simhash_weights **weights,
					 struct simhash_error *error);

SIMHASH_API void simhash_weights_free(struct simhash_weights *weights);

/* ---- Measures --------------------------------------------------------- */

/* A measure with its parameters. */
struct simhash_measure;

/* The maximum size of a sketch, in bytes. */
#define SIMHASH_SKETCH_MAX 8192

/* The maximum length of a measure's canonical text, in bytes, without the terminating zero. */
#define SIMHASH_MEASURE_TEXT_MAX 120

/*
 * Make a measure from a text NAME[:PARAMETER,...]. The names are:
 *
 *   simhash64    64 bits by the signs of weighted sums of hash bits (Charikar 2002)
 *   simhash128   the same with 128 bits
 *   minhash      the minimum of each of K hash functions (Broder 1997), as
 *                SuperMinHash computes them (Ertl 2017)
 *   bottomk      the N smallest values of one hash function (Broder 1997)
 *
 * The parameters are:
 *
 *   bytes=N      features are all sequences of N bytes, 1 to 64; default: bytes=8
 *   words        features are words, as Unicode cuts text (UAX #29)
 *   words=N      features are all sequences of N words, 1 to 16
 *   functions=K  of minhash: 16, 32, 64, 128, 256, 512 or 1024; default: 128
 *   k=N          of bottomk: 8 to 1024; default: 64
 *   cluster=N    of minhash and bottomk: the number of values that make the
 *                cluster key, 1 to 16; default: 4
 *
 * Every feature has the weight 1 each time it occurs. On success the caller owns *measure and frees
 * it. Errors: SIMHASH_E_SYNTAX, SIMHASH_E_RANGE, SIMHASH_E_MEMORY.
 */
SIMHASH_CHECKED int simhash_measure_new(const char *text, struct simhash_measure **measure,
					struct simhash_error *error);

/*
 * Make simhash64 or simhash128 with weights of features, which are copied. Each line of the weights
 * must be one feature of the measure: one word for "words", N bytes for "bytes=N". Without weights
 * (NULL) this is simhash_measure_new. Errors: the errors of simhash_measure_new; SIMHASH_E_SYNTAX
 * also for a line that is not one feature.
 */
SIMHASH_CHECKED int simhash_measure_new_weighted(const char *text,
						 const struct simhash_weights *weights,
						 struct simhash_measure **measure,
						 struct simhash_error *error);

SIMHASH_API void simhash_measure_free(struct simhash_measure *measure);

/* Return the name of measure `i`, counted from 0; NULL after the last measure. */
SIMHASH_API const char *simhash_measure_name(unsigned i);

/*
 * Return the measure's canonical text: its name and all parameters that affect its sketches, such
 * as "minhash:bytes=8,functions=128,cluster=4". Weights appear as a hash. Sketches of measures with
 * equal texts can be compared. simhash_measure_new accepts the text of a measure without weights.
 * The text lives as long as the measure.
 */
SIMHASH_API const char *simhash_measure_text(const struct simhash_measure *measure);

/*
 * Return the size of each sketch of the measure, in bytes. Sketches are the same on every machine.
 */
SIMHASH_API size_t simhash_measure_sketch_size(const struct simhash_measure *measure);

/* ---- From a stream to a sketch --------------------------------------- */

/* A sketch in progress. */
struct simhash_sketcher;

/* Make a sketcher. The measure must outlive it. The caller frees it. Error: SIMHASH_E_MEMORY. */
SIMHASH_CHECKED int simhash_sketcher_new(const struct simhash_measure *measure,
					 struct simhash_sketcher **sketcher,
					 struct simhash_error *error);
SIMHASH_API void simhash_sketcher_free(struct simhash_sketcher *sketcher);

/* Take the next bytes. The sketch does not depend on how a stream is cut into calls. */
SIMHASH_API void simhash_sketcher_update(struct simhash_sketcher *sketcher, const void *bytes,
					 size_t size_bytes);

/*
 * Store the sketch of all bytes since the beginning, and begin again with no bytes. `size_bytes` is
 * the size of the buffer `sketch`, at least the measure's sketch size. *features, unless `features`
 * is NULL, becomes the number of features; a feature that occurs twice counts twice. It is 0 if all
 * features weigh 0. Do not compare a sketch of 0 features. Error: SIMHASH_E_RANGE for a buffer that
 * is too small; the sketcher does not change then.
 */
SIMHASH_CHECKED int simhash_sketcher_finish(struct simhash_sketcher *sketcher, uint8_t *sketch,
					    size_t size_bytes, uint64_t *features,
					    struct simhash_error *error);

/* Forget all bytes so far, and begin again. */
SIMHASH_API void simhash_sketcher_reset(struct simhash_sketcher *sketcher);

/* ---- Comparing sketches ---------------------------------------------- */

/*
 * Return the similarity of two sketches, 0 to 1. For simhash64 and simhash128 it is the share of
 * equal bits. For minhash and bottomk it is an estimate of the Jaccard index of the sets of
 * features. *deviation, unless `deviation` is NULL, becomes the standard deviation of the estimate.
 * It is 0 for an exact value: for simhash64 and simhash128, and for bottomk if the sketches have
 * all features.
 */
SIMHASH_API double simhash_sketch_similarity(const struct simhash_measure *measure,
					     const uint8_t *a, const uint8_t *b, double *deviation);

/*
 * Return the cluster key, a number that is often the same for very similar contents. For minhash
 * and bottomk it combines the first values; for simhash64 and simhash128 it is the first 64 bits.
 * It depends on no other sketch, so a file's cluster does not change when other files are added or
 * removed.
 */
SIMHASH_API int64_t simhash_sketch_cluster(const struct simhash_measure *measure,
					   const uint8_t *sketch);

/* Return the minimum similarity that simhash_sketch_pairs accepts, and a reasonable default. */
SIMHASH_API double simhash_measure_min_similarity(const struct simhash_measure *measure);
SIMHASH_API double simhash_measure_default_similarity(const struct simhash_measure *measure);

/*
 * Receives a pair of indices a < b and its similarity, on the caller's thread. Any return value
 * except 0 ends the search, which then returns -1. Fill `error` in this case, unless it is NULL; it
 * is the `error` of the search.
 */
typedef int simhash_pair_fn(void *context, size_t a, size_t b, double similarity,
			    struct simhash_error *error);

/*
 * Find the pairs of `count` sketches whose similarity is at least `min_similarity`, each pair once,
 * in any order. The sketches are contiguous in memory. For simhash64, simhash128 and bottomk the
 * result has all such pairs. minhash misses one in a thousand pairs at the limit, and fewer above
 * it. Errors: SIMHASH_E_RANGE for a similarity below the measure's minimum or above 1,
 * SIMHASH_E_MEMORY, and any error that `pair` reports.
 */
SIMHASH_CHECKED int simhash_sketch_pairs(const struct simhash_measure *measure,
					 const uint8_t *sketches, size_t count,
					 double min_similarity, simhash_pair_fn *pair,
					 void *context, struct simhash_error *error);

/* ---- Fingerprints of the caller's features --------------------------- */

/* Weighted sums; the signs of the sums are the bits of a feature simhash. Begin with all sums 0. */
struct simhash_sums {
	int64_t sum[64];
};

/* Add a feature, given as 64 bits of its hash. */
SIMHASH_API void simhash_sums_add(struct simhash_sums *sums, uint64_t hash, int64_t weight);

/* Return the fingerprint: bit i is set if sum i is above 0. */
SIMHASH_API uint64_t simhash_sums_fingerprint(const struct simhash_sums *sums);

/* ---- Hamming search --------------------------------------------------- */

/* The maximum Hamming distance, in bits. */
#define SIMHASH_HAMMING_MAX 8

/*
 * The search for fingerprints of 64 bits within a Hamming distance k uses sorted tables of permuted
 * fingerprints (Manku, Jain, Das Sarma, WWW 2007). The bits are cut into blocks. Two fingerprints
 * that differ in k bits differ in at most k blocks, so they agree in some choice of blocks - k
 * blocks. Each choice has a table with these blocks at the front. More blocks make more tables with
 * longer prefixes, and fewer fingerprints agree by chance in a longer prefix. The plan is the
 * cheapest for a number of fingerprints.
 */
struct simhash_hamming_plan {
	unsigned blocks, tables;
	unsigned prefix_bits; /* the length of the shortest prefix of all tables */
	unsigned reserved[5];
};

/* Store the plan with which simhash_hamming_pairs searches `count` fingerprints. */
SIMHASH_API void simhash_hamming_plan(size_t count, unsigned k, struct simhash_hamming_plan *plan);

/* Receives a pair of indices and its distance; otherwise like simhash_pair_fn. */
typedef int simhash_hamming_fn(void *context, size_t a, size_t b, unsigned distance,
			       struct simhash_error *error);

/*
 * Find all pairs within distance k, 0 to SIMHASH_HAMMING_MAX, each once, in any order. Errors:
 * SIMHASH_E_RANGE, SIMHASH_E_MEMORY, and any error that `pair` reports.
 */
SIMHASH_CHECKED int simhash_hamming_pairs(const uint64_t *fingerprints, size_t count, unsigned k,
					  simhash_hamming_fn *pair, void *context,
					  struct simhash_error *error);

/*
 * Tables that stay in memory for queries: 16 bytes for each fingerprint in each table. The index
 * never changes, and any number of threads may query it. The fingerprints are copied. Errors:
 * SIMHASH_E_RANGE, SIMHASH_E_MEMORY.
 */
struct simhash_hamming_index;
SIMHASH_CHECKED int simhash_hamming_index_new(const uint64_t *fingerprints, size_t count,
					      unsigned k, struct simhash_hamming_index **index,
					      struct simhash_error *error);
SIMHASH_API void simhash_hamming_index_free(struct simhash_hamming_index *index);

/* Receives the index of a fingerprint and its distance; otherwise like simhash_pair_fn. */
typedef int simhash_hamming_found_fn(void *context, size_t i, unsigned distance,
				     struct simhash_error *error);

/*
 * Find the fingerprints within distance k of `fingerprint`. Errors: the errors that `found`
 * reports.
 */
SIMHASH_CHECKED int simhash_hamming_index_query(const struct simhash_hamming_index *index,
						uint64_t fingerprint,
						simhash_hamming_found_fn *found, void *context,
						struct simhash_error *error);

/* ---- Exact measures of two contents ----------------------------------- */

/*
 * Compute the length of a longest common subsequence in bytes, as diff does. Memory is proportional
 * to the sizes. For very different contents the time is proportional to the product of the sizes
 * divided by 64. `max_steps` limits the time, in steps of about a nanosecond; 0 means no limit.
 * Errors: SIMHASH_E_MEMORY; SIMHASH_E_RANGE if the limit is exceeded.
 */
SIMHASH_CHECKED int simhash_lcs_bytes(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
				      uint64_t max_steps, uint64_t *length,
				      struct simhash_error *error);

/* The same in lines; each line includes its newline. */
struct simhash_lcs_lines {
	uint64_t lines_a, lines_b, common;
	uint64_t reserved[5];
};
SIMHASH_CHECKED int simhash_lcs_lines(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
				      uint64_t max_steps, struct simhash_lcs_lines *lines,
				      struct simhash_error *error);

/*
 * The overlap of two sets of features: the sizes of both sets, their intersection and their union.
 */
struct simhash_overlap {
	uint64_t a, b, both, either;
	/* The same for bags: a feature counts as many times as it occurs. */
	uint64_t bag_a, bag_b, bag_both, bag_either;
	uint64_t reserved[4];
};

/*
 * Divide two contents into features, "bytes=N", "words" or "words=N", and compare the sets (Broder
 * 1997: resemblance and containment of shingles). 64-bit hashes distinguish the features. Errors:
 * SIMHASH_E_SYNTAX, SIMHASH_E_RANGE, SIMHASH_E_MEMORY.
 */
SIMHASH_CHECKED int simhash_overlap(const char *features, const void *a, size_t a_bytes,
				    const void *b, size_t b_bytes, struct simhash_overlap *overlap,
				    struct simhash_error *error);

#ifdef __cplusplus
}
#endif
#endif

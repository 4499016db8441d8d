/*
 * Divides a stream of bytes into features and hashes each to 64 bits with XXH3. A feature is a
 * sequence of N bytes, a word, or a sequence of N words. The measures condense the features.
 *
 *     stream = feature_stream_new(&spec, take, context);
 *     feature_stream_update(stream, bytes, size);     // any number of times
 *     feature_stream_end(stream);                     // the last features; then it begins again
 *     feature_stream_free(stream);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_MEASURE_FEATURES_H
#define SIMHASH_MEASURE_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simhash.h"

#define FEATURE_BYTES_MAX 64
#define FEATURE_WORDS_MAX 16

enum feature_kind { FEATURE_BYTES, FEATURE_WORDS };

struct feature_spec {
	enum feature_kind kind;
	unsigned n;	 /* the length of a sequence */
	bool has_second; /* with a second hash of each feature, from another seed */
};

/* The maximum number of features in one call. */
#define FEATURE_BLOCK 1024

/*
 * Receives features: hashes with seed 0, and with seed 1 if the spec requests them (else NULL). The
 * arrays are aligned to 32 bytes, and the function may overwrite them.
 */
typedef void feature_fn(void *context, uint64_t *hashes, uint64_t *second, size_t count);

struct feature_stream;

/* Returns NULL if memory is short. */
struct feature_stream *feature_stream_new(const struct feature_spec *spec, feature_fn *take,
					  void *context);
void feature_stream_free(struct feature_stream *stream);
void feature_stream_update(struct feature_stream *stream, const void *bytes, size_t size);
/* Returns the number of features. */
uint64_t feature_stream_end(struct feature_stream *stream);

/* Parse "bytes=N", "words" or "words=N". Errors: SIMHASH_E_SYNTAX, SIMHASH_E_RANGE. */
int feature_spec_parse(const char *text, struct feature_spec *spec, struct simhash_error *error);

/* ---- Hashes of all sequences of n bytes ---- */

/*
 * out[i] becomes XXH3_64bits(bytes + i, n) for i < count. second[i] becomes the same with seed 1,
 * unless `second` is NULL. Reads count + n - 1 bytes.
 */
typedef void ngram_fn(const uint8_t *bytes, size_t count, unsigned n, uint64_t *out,
		      uint64_t *second);
ngram_fn ngram_hashes, ngram_hashes_portable;
#ifdef SIMHASH_X86_KERNELS
/* Only for n from 4 to 8. The processor must have AVX2, or AVX-512 with BW and DQ. */
ngram_fn ngram_hashes_avx2, ngram_hashes_avx512;
#endif

/* ---- Words ---- */

typedef void word_fn(void *context, const char *word, size_t size);

/*
 * Pass on the words of a text by the default word boundaries of Unicode (UAX #29): all segments
 * between two boundaries that begin with a letter, a digit or an underscore.
 */
void split_words(const char *text, size_t size, word_fn *word, void *context);

/* For tests: the same for ASCII without the library, and for any text only with the library. */
void split_ascii_words(const char *text, size_t size, word_fn *word, void *context);
void split_unicode_words(const char *text, size_t size, word_fn *word, void *context);

#endif

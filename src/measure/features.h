/*
 * Takes a stream of bytes apart into features, each a 64-bit hash by XXH3: all N bytes in a row, or
 * words, or N words in a row. The measures condense the features.
 *
 *     stream = feature_stream_new(&spec, take, context);
 *     feature_stream_update(stream, bytes, size);     // any number of times
 *     feature_stream_end(stream);                     // the last features; then it begins anew
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
	unsigned n;	 /* in a row */
	bool has_second; /* a second hash of each feature, with another seed */
};

/* At most so many features are handed on at once. */
#define FEATURE_BLOCK 1024

/*
 * Take features: hashes with seed 0, and with seed 1 where the spec asks for them, else NULL.
 * The arrays are aligned to 32 bytes, and the callee may write to them.
 */
typedef void feature_fn(void *context, uint64_t *hashes, uint64_t *second, size_t count);

struct feature_stream;

/* NULL when memory is short. */
struct feature_stream *feature_stream_new(const struct feature_spec *spec, feature_fn *take,
					  void *context);
void feature_stream_free(struct feature_stream *stream);
void feature_stream_update(struct feature_stream *stream, const void *bytes, size_t size);
/* Returns how many features there were. */
uint64_t feature_stream_end(struct feature_stream *stream);

/* "bytes=N", "words" or "words=N". Errors: SIMHASH_E_SYNTAX, SIMHASH_E_RANGE. */
int feature_spec_parse(const char *text, struct feature_spec *spec, struct simhash_error *error);

/* ---- Hashes of all n bytes in a row ---- */

/*
 * out[i] = XXH3_64bits(bytes + i, n) for i < count, and the same with a seed of 1 in second[i]
 * unless that is NULL: reads count + n - 1 bytes.
 */
typedef void ngram_fn(const uint8_t *bytes, size_t count, unsigned n, uint64_t *out,
		      uint64_t *second);
ngram_fn ngram_hashes, ngram_hashes_portable;
#ifdef SIMHASH_X86_KERNELS
/* For n from 4 to 8 only; the processor must have AVX2, or AVX-512 with BW and DQ. */
ngram_fn ngram_hashes_avx2, ngram_hashes_avx512;
#endif

/* ---- Words ---- */

typedef void word_fn(void *context, const char *word, size_t size);

/*
 * The words of a text by the default word boundaries of Unicode (UAX #29): of the
 * segments between two of them those that begin with a letter, a digit or a low line.
 */
void split_words(const char *text, size_t size, word_fn *word, void *context);

/* The same of ASCII alone, without the library, and of anything by it alone: for tests. */
void split_ascii_words(const char *text, size_t size, word_fn *word, void *context);
void split_unicode_words(const char *text, size_t size, word_fn *word, void *context);

#endif

/*
 * Cuts a stream into features and hashes them in blocks. The features do not depend on how the
 * stream is cut into calls.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include "measure/features.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/basic/bytes.h"
#include "base/basic/error.h"

/* Whole lines are cut into words. A longer line is cut at a blank, if it has one. */
#define TEXT_MAX 65536

struct feature_stream {
	struct feature_spec spec;
	feature_fn *take;
	void *context;
	uint64_t total; /* the number of features passed on */
	/* The start of a feature whose end has not arrived yet. */
	uint8_t tail[2 * FEATURE_BYTES_MAX];
	size_t tail_size;
	/* The hashes of the last words, by word number, and the number of words. */
	uint64_t words[2][FEATURE_WORDS_MAX];
	uint64_t word_count;
	size_t count; /* the number of hashes below */
	uint64_t *hashes[2];
	char *text; /* for words: text that is not cut yet */
	size_t text_size;
};

struct feature_stream *feature_stream_new(const struct feature_spec *spec, feature_fn *take,
					  void *context)
{
	struct feature_stream *stream = calloc(1, sizeof *stream);
	size_t size = FEATURE_BLOCK * sizeof(uint64_t);

	if (stream == NULL)
		return NULL;
	*stream = (struct feature_stream){.spec = *spec, .take = take, .context = context};
	stream->hashes[0] = aligned_alloc(64, size);
	if (spec->has_second)
		stream->hashes[1] = aligned_alloc(64, size);
	if (spec->kind == FEATURE_WORDS)
		stream->text = malloc(TEXT_MAX);
	if (stream->hashes[0] != NULL && (!spec->has_second || stream->hashes[1] != NULL) &&
	    (spec->kind == FEATURE_BYTES || stream->text != NULL))
		return stream;
	feature_stream_free(stream);
	return NULL;
}

void feature_stream_free(struct feature_stream *stream)
{
	if (stream == NULL)
		return;
	free(stream->hashes[0]);
	free(stream->hashes[1]);
	free(stream->text);
	free(stream);
}

static void hand_on(struct feature_stream *stream, size_t count)
{
	if (count > 0)
		stream->take(stream->context, stream->hashes[0], stream->hashes[1], count);
	stream->total += count;
}

/* ---- Bytes ---- */

/* Hash all features within these bytes. */
static void hash_bytes(struct feature_stream *stream, const uint8_t *bytes, size_t size)
{
	unsigned n = stream->spec.n;

	for (size_t at = 0; at + n <= size;) {
		size_t count = size - n + 1 - at;
		if (count > FEATURE_BLOCK)
			count = FEATURE_BLOCK;
		ngram_hashes(bytes + at, count, n, stream->hashes[0], stream->hashes[1]);
		hand_on(stream, count);
		at += count;
	}
}

static void update_bytes(struct feature_stream *stream, const uint8_t *bytes, size_t size)
{
	size_t keep = stream->spec.n - 1, joined;

	/* First, hash the features that begin in earlier bytes. */
	joined = size < keep ? size : keep;
	memcpy(stream->tail + stream->tail_size, bytes, joined);
	hash_bytes(stream, stream->tail, stream->tail_size + joined);
	hash_bytes(stream, bytes, size);
	if (size >= keep) {
		memcpy(stream->tail, bytes + size - keep, keep);
		stream->tail_size = keep;
		return;
	}
	stream->tail_size += size;
	if (stream->tail_size > keep) {
		memmove(stream->tail, stream->tail + stream->tail_size - keep, keep);
		stream->tail_size = keep;
	}
}

/* Make one feature from a stream that is shorter than a feature. */
static void end_bytes(struct feature_stream *stream)
{
	if (stream->total == 0 && stream->tail_size > 0) {
		stream->hashes[0][0] = XXH3_64bits(stream->tail, stream->tail_size);
		if (stream->spec.has_second)
			stream->hashes[1][0] =
				XXH3_64bits_withSeed(stream->tail, stream->tail_size, 1);
		hand_on(stream, 1);
	}
	stream->tail_size = 0;
}

/* ---- Words ---- */

/* Hash the last `n` words. */
static uint64_t join_words(const uint64_t *words, uint64_t end, unsigned n)
{
	uint64_t in_order[FEATURE_WORDS_MAX];

	if (n == 1)
		return words[(end - 1) % FEATURE_WORDS_MAX];
	for (unsigned i = 0; i < n; i++)
		in_order[i] = words[(end - n + i) % FEATURE_WORDS_MAX];
	return XXH3_64bits(in_order, n * sizeof *in_order);
}

static void add_feature(struct feature_stream *stream, unsigned n)
{
	stream->hashes[0][stream->count] = join_words(stream->words[0], stream->word_count, n);
	if (stream->spec.has_second)
		stream->hashes[1][stream->count] =
			join_words(stream->words[1], stream->word_count, n);
	if (++stream->count == FEATURE_BLOCK) {
		hand_on(stream, stream->count);
		stream->count = 0;
	}
}

static void take_word(void *context, const char *word, size_t size)
{
	struct feature_stream *stream = context;
	size_t slot = stream->word_count % FEATURE_WORDS_MAX;

	stream->words[0][slot] = XXH3_64bits(word, size);
	if (stream->spec.has_second)
		stream->words[1][slot] = XXH3_64bits_withSeed(word, size, 1);
	stream->word_count++;
	if (stream->word_count >= stream->spec.n)
		add_feature(stream, stream->spec.n);
}

/* Return the size of the whole lines in a full text, or of its whole words. */
static size_t whole_size(const char *text, size_t size)
{
	static const char ends[] = "\n\t ";

	for (const char *end = ends; *end != '\0'; end++) {
		const char *found = last_byte(text, *end, size);
		if (found != NULL)
			return (size_t)(found - text) + 1;
	}
	for (size_t at = size - 1; at > size - 4; at--)
		if (((uint8_t)text[at] & 0xc0) != 0x80)
			return at;
	return size;
}

static void update_words(struct feature_stream *stream, const char *bytes, size_t size)
{
	while (size > 0) {
		size_t part = TEXT_MAX - stream->text_size, whole;
		if (part > size)
			part = size;
		memcpy(stream->text + stream->text_size, bytes, part);
		stream->text_size += part;
		bytes += part;
		size -= part;
		if (stream->text_size < TEXT_MAX)
			return;
		whole = whole_size(stream->text, TEXT_MAX);
		split_words(stream->text, whole, take_word, stream);
		stream->text_size -= whole;
		memmove(stream->text, stream->text + whole, stream->text_size);
	}
}

static void end_words(struct feature_stream *stream)
{
	split_words(stream->text, stream->text_size, take_word, stream);
	/* A stream with fewer words than a feature has one feature. */
	if (stream->word_count > 0 && stream->word_count < stream->spec.n)
		add_feature(stream, (unsigned)stream->word_count);
	hand_on(stream, stream->count);
	stream->count = stream->text_size = 0;
	stream->word_count = 0;
}

/* ---- Either ---- */

void feature_stream_update(struct feature_stream *stream, const void *bytes, size_t size)
{
	if (size == 0)
		return;
	if (stream->spec.kind == FEATURE_BYTES)
		update_bytes(stream, bytes, size);
	else
		update_words(stream, bytes, size);
}

uint64_t feature_stream_end(struct feature_stream *stream)
{
	uint64_t total;

	if (stream->spec.kind == FEATURE_BYTES)
		end_bytes(stream);
	else
		end_words(stream);
	total = stream->total;
	stream->total = 0;
	return total;
}

int feature_spec_parse(const char *text, struct feature_spec *spec, struct simhash_error *error)
{
	size_t name = strcspn(text, "=");
	bool is_words = name == 5 && memcmp(text, "words", 5) == 0;
	unsigned most = is_words ? FEATURE_WORDS_MAX : FEATURE_BYTES_MAX;
	const char *number = text + name + 1;
	char *end;
	unsigned long n = 1;

	if (!is_words && !(name == 5 && memcmp(text, "bytes", 5) == 0))
		return error_set(error, SIMHASH_E_SYNTAX,
				 "features '%s': expected bytes=N, words or words=N", text);
	spec->kind = is_words ? FEATURE_WORDS : FEATURE_BYTES;
	if (text[name] == '=') {
		n = number[0] >= '1' && number[0] <= '9' ? strtoul(number, &end, 10) : 0;
		if (n == 0 || *end != '\0' || n > most)
			return error_set(error, SIMHASH_E_RANGE,
					 "features '%s': expected a number from 1 to %u", text,
					 most);
	} else if (!is_words) {
		return error_set(error, SIMHASH_E_SYNTAX, "features '%s': expected bytes=N", text);
	}
	spec->n = (unsigned)n;
	return 0;
}

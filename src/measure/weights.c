/*
 * Reads texts of weights, with a line for each feature, and makes the table of a measure. The same
 * code cuts these features and scanned contents, so the hashes are the same.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include "measure/weights.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/basic/ascii.h"
#include "base/basic/byte_order.h"
#include "base/basic/error.h"
#include "base/data/array.h"
#include "base/files/read_file.h"

#define FILE_MAX ((size_t)256 << 20) /* bytes */

/* ---- Reading ---- */

struct weight_line {
	size_t at, size; /* the position and the size of the feature in the text */
	int64_t weight;
	unsigned long line;
};

struct simhash_weights {
	char *text; /* lines end in zeros, and escapes are resolved */
	char *file_name;
	int64_t default_weight;
	bool has_default;
	struct weight_line *lines;
	size_t count, capacity;
};

static int fail(const struct simhash_weights *weights, unsigned long line, const char *what,
		struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_SYNTAX, "%s:%lu: %s", weights->file_name, line, what);
}

/* Resolve \xHH, which is any byte, and \\, a backslash, in place. Returns the size, or -1. */
static ssize_t unescape(char *text, size_t size)
{
	size_t to = 0;

	for (size_t from = 0; from < size; to++) {
		if (text[from] != '\\') {
			text[to] = text[from++];
		} else if (size - from >= 2 && text[from + 1] == '\\') {
			text[to] = '\\';
			from += 2;
		} else {
			if (size - from < 4 || text[from + 1] != 'x' ||
			    hex_byte(text + from + 2) < 0)
				return -1;
			text[to] = (char)hex_byte(text + from + 2);
			from += 4;
		}
	}
	return (ssize_t)to;
}

static int set_default(struct simhash_weights *weights, int64_t weight, bool is_whole_line,
		       unsigned long number, struct simhash_error *error)
{
	if (weights->has_default || !is_whole_line)
		return fail(weights, number, "expected one line 'default' and a weight", error);
	weights->has_default = true;
	weights->default_weight = weight;
	return 0;
}

static int add_line(struct simhash_weights *weights, char *feature, size_t size, int64_t weight,
		    unsigned long number, struct simhash_error *error)
{
	ssize_t unescaped = unescape(feature, size);

	if (unescaped < 0)
		return fail(weights, number,
			    "expected x and two hexadecimal digits, or another backslash, after a "
			    "backslash",
			    error);
	if (array_reserve(&weights->lines, &weights->capacity, weights->count + 1,
			  sizeof *weights->lines, error) != 0)
		return -1;
	weights->lines[weights->count++] = (struct weight_line){(size_t)(feature - weights->text),
								(size_t)unescaped, weight, number};
	return 0;
}

/* `line` ends in a zero. */
static int take_line(struct simhash_weights *weights, char *line, size_t size, unsigned long number,
		     struct simhash_error *error)
{
	static const char word[] = "default ";
	bool is_default = size >= sizeof word - 1 && memcmp(line, word, sizeof word - 1) == 0;
	char *digits = is_default ? line + sizeof word - 1 : line, *end = digits;
	long weight = -1;

	if (size == 0 || line[0] == '#')
		return 0;
	if (ascii_is_digit(*digits))
		weight = strtol(digits, &end, 10);
	if (weight < 0 || weight > FEATURE_WEIGHT_MAX ||
	    !(is_default ? *end == '\0' : *end == ' ' || *end == '\t'))
		return fail(weights, number,
			    "expected a weight from 0 to 1000000, a blank and a feature, or "
			    "'default' and a weight",
			    error);
	if (is_default)
		return set_default(weights, weight, end == line + size, number, error);
	return add_line(weights, end + 1, size - (size_t)(end + 1 - line), weight, number, error);
}

static int take_text(struct simhash_weights *weights, size_t size, struct simhash_error *error)
{
	unsigned long number = 0;

	for (size_t at = 0, length; at < size; at += length + 1) {
		char *line = weights->text + at, *end = memchr(line, '\n', size - at);
		size_t own;
		length = end == NULL ? size - at : (size_t)(end - line);
		own = length > 0 && line[length - 1] == '\r' ? length - 1 : length;
		line[own] = line[length] = '\0';
		if (take_line(weights, line, own, ++number, error) != 0)
			return -1;
	}
	return 0;
}

int simhash_weights_parse(const char *text, size_t size_bytes, const char *file_name,
			  struct simhash_weights **weights, struct simhash_error *error)
{
	struct simhash_weights *made = calloc(1, sizeof *made);

	*weights = NULL;
	if (made == NULL)
		return error_set_memory(error);
	made->default_weight = 1;
	made->file_name = strdup(file_name);
	made->text = malloc(size_bytes + 1);
	if (made->file_name == NULL || made->text == NULL) {
		simhash_weights_free(made);
		return error_set_memory(error);
	}
	if (size_bytes > 0)
		memcpy(made->text, text, size_bytes);
	if (take_text(made, size_bytes, error) != 0) {
		simhash_weights_free(made);
		return -1;
	}
	*weights = made;
	return 0;
}

int simhash_weights_read(const char *path, struct simhash_weights **weights,
			 struct simhash_error *error)
{
	char *text;
	size_t size;
	int status;

	*weights = NULL;
	if (read_path(path, FILE_MAX, &text, &size, error) != 0 ||
	    text_decode(path, &text, &size, error) != 0)
		return -1;
	status = simhash_weights_parse(text, size, path, weights, error);
	free(text);
	if (status == 0 && size > 0 && (*weights)->count == 0 && !(*weights)->has_default) {
		simhash_weights_free(*weights);
		*weights = NULL;
		return error_set(error, SIMHASH_E_SYNTAX, "%s has no weight", path);
	}
	return status;
}

void simhash_weights_free(struct simhash_weights *weights)
{
	if (weights == NULL)
		return;
	free(weights->text);
	free(weights->file_name);
	free(weights->lines);
	free(weights);
}

/* ---- The table of a measure ---- */

void feature_weights_free(struct feature_weights *weights)
{
	if (weights == NULL)
		return;
	slots_release(&weights->slots);
	free(weights->items);
	free(weights);
}

static int make_room(struct feature_weights *weights, size_t entries, struct simhash_error *error)
{
	weights->items = malloc((entries + 1) * sizeof *weights->items);
	return weights->items == NULL ? error_set_memory(error)
				      : slots_reserve_all(&weights->slots, entries, error);
}

/* The features of one line. */
struct line_features {
	uint64_t hash, count;
};

static void take_feature(void *context, uint64_t *hashes, uint64_t *second, size_t count)
{
	struct line_features *features = context;

	(void)second;
	features->hash = hashes[0];
	features->count += count;
}

/* Enter the weight of a feature. False if the feature already has a weight. */
static bool enter(struct feature_weights *weights, uint64_t hash, int64_t weight)
{
	struct slot *slot = slots_find(&weights->slots, hash >> 16, is_weight_of,
				       &(struct feature_key){weights, hash});
	uint8_t bytes[16];

	if (slot->number != NO_ITEM)
		return false;
	weights->items[weights->count++] = (struct feature_weight){hash, weight};
	slots_add(&weights->slots, slot, hash >> 16, (uint32_t)weights->count);
	weights->maybe[(hash & 0xffff) >> 3] |= (uint8_t)(1 << (hash & 7));
	/* The hash is a sum, so that it does not depend on the order of lines. */
	write_big_endian(bytes, 8, hash);
	write_big_endian(bytes + 8, 8, (uint64_t)weight);
	weights->sum += XXH3_64bits(bytes, sizeof bytes);
	return true;
}

static int enter_lines(struct feature_weights *weights, const struct simhash_weights *source,
		       struct feature_stream *stream, struct line_features *features,
		       struct simhash_error *error)
{
	for (size_t i = 0; i < source->count; i++) {
		const struct weight_line *line = &source->lines[i];
		features->count = 0;
		feature_stream_update(stream, source->text + line->at, line->size);
		feature_stream_end(stream);
		if (features->count != 1)
			return fail(source, line->line, "expected one feature of the measure",
				    error);
		if (!enter(weights, features->hash, line->weight))
			return fail(source, line->line, "the feature has a weight already", error);
	}
	return 0;
}

int feature_weights_new(const struct simhash_weights *source, const struct feature_spec *spec,
			struct feature_weights **weights, struct simhash_error *error)
{
	struct line_features features = {0, 0};
	struct feature_stream *stream = feature_stream_new(spec, take_feature, &features);
	struct feature_weights *made = calloc(1, sizeof *made);
	int status = -1;

	*weights = NULL;
	if (made == NULL || stream == NULL) {
		error_set_memory(error);
		goto out;
	}
	made->default_weight = source->default_weight;
	made->sum = (uint64_t)made->default_weight;
	if (make_room(made, source->count, error) == 0)
		status = enter_lines(made, source, stream, &features, error);
out:
	feature_stream_free(stream);
	if (status == 0)
		*weights = made;
	else
		feature_weights_free(made);
	return status;
}

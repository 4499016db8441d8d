/*
 * Files of weights: a line for each feature, which is taken apart by the same code as
 * what is scanned, so that the hashes are the same.
 * SPDX-License-Identifier: MIT
 */
#define XXH_INLINE_ALL
#include "measure/weights.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/error.h"
#include "base/open_file.h"
#include "measure/measure.h"

#define SLOTS_LEAST 64
#define LINE_MAX_BYTES 1000000

void feature_weights_free(struct feature_weights *weights)
{
	if (weights == NULL)
		return;
	free(weights->slots);
	free(weights);
}

static struct feature_weight *find_slot(const struct feature_weights *weights, uint64_t hash)
{
	size_t slot = (hash >> 16) & (weights->slot_count - 1);

	while (weights->slots[slot].weight >= 0 && weights->slots[slot].hash != hash)
		slot = (slot + 1) & (weights->slot_count - 1);
	return &weights->slots[slot];
}

static int make_slots(struct feature_weights *weights, size_t count, struct simhash_error *error)
{
	struct feature_weights larger = *weights;

	larger.slots = malloc(count * sizeof *larger.slots);
	if (larger.slots == NULL)
		return error_set_memory(error);
	larger.slot_count = count;
	for (size_t i = 0; i < count; i++)
		larger.slots[i] = (struct feature_weight){0, -1};
	for (size_t i = 0; i < weights->slot_count; i++)
		if (weights->slots[i].weight >= 0)
			*find_slot(&larger, weights->slots[i].hash) = weights->slots[i];
	free(weights->slots);
	weights->slots = larger.slots;
	weights->slot_count = larger.slot_count;
	return 0;
}

struct reader {
	struct feature_weights *weights;
	struct feature_stream *stream;
	const char *path;
	unsigned long line;
	size_t entries;
	bool has_default;
	/* Of the feature of the present line. */
	uint64_t hash, features;
};

static void take_feature(void *context, uint64_t *hashes, uint64_t *second, size_t count)
{
	struct reader *reader = context;

	(void)second;
	reader->hash = hashes[0];
	reader->features += count;
}

/* \xHH is any byte, and \\ a backslash; in place. Returns the size, or -1. */
static ssize_t unescape(char *text, size_t size)
{
	size_t to = 0;

	for (size_t from = 0; from < size; to++) {
		char digits[3] = "";
		if (text[from] != '\\') {
			text[to] = text[from++];
		} else if (size - from >= 2 && text[from + 1] == '\\') {
			text[to] = '\\';
			from += 2;
		} else {
			if (size - from < 4 || text[from + 1] != 'x' ||
			    !isxdigit((unsigned char)text[from + 2]) ||
			    !isxdigit((unsigned char)text[from + 3]))
				return -1;
			memcpy(digits, text + from + 2, 2);
			text[to] = (char)strtoul(digits, NULL, 16);
			from += 4;
		}
	}
	return (ssize_t)to;
}

static int fail(const struct reader *reader, const char *what, struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_SYNTAX, "%s:%lu: %s", reader->path, reader->line, what);
}

static int enter(struct reader *reader, int64_t weight, struct simhash_error *error)
{
	struct feature_weights *weights = reader->weights;
	struct feature_weight *slot;
	uint8_t bytes[16];

	if (2 * (reader->entries + 1) > weights->slot_count &&
	    make_slots(weights, 2 * weights->slot_count, error) != 0)
		return -1;
	slot = find_slot(weights, reader->hash);
	if (slot->weight >= 0)
		return fail(reader, "a feature that has a weight already", error);
	*slot = (struct feature_weight){reader->hash, weight};
	weights->maybe[(reader->hash & 0xffff) >> 3] |= (uint8_t)(1 << (reader->hash & 7));
	reader->entries++;
	/* The order of lines changes nothing. */
	write_big_endian(bytes, 8, reader->hash);
	write_big_endian(bytes + 8, 8, (uint64_t)weight);
	weights->sum += XXH3_64bits(bytes, sizeof bytes);
	return 0;
}

static int take_line(struct reader *reader, char *line, size_t size, struct simhash_error *error)
{
	static const char word[] = "default ";
	bool is_default = size >= sizeof word - 1 && memcmp(line, word, sizeof word - 1) == 0;
	char *number = is_default ? line + sizeof word - 1 : line, *end;
	long weight;
	ssize_t feature;

	if (size == 0 || line[0] == '#')
		return 0;
	weight = number[0] >= '0' && number[0] <= '9' ? strtol(number, &end, 10) : -1;
	if (weight < 0 || weight > FEATURE_WEIGHT_MAX ||
	    !(is_default ? *end == '\0' : *end == ' ' || *end == '\t'))
		return fail(reader,
			    "expected a weight from 0 to 1000000, a blank and a feature, or "
			    "'default' and a weight",
			    error);
	if (is_default) {
		if (reader->has_default || (size_t)(end - line) != size)
			return fail(reader, "expected one line 'default' and a weight", error);
		reader->has_default = true;
		reader->weights->standard = weight;
		return 0;
	}
	feature = unescape(end + 1, size - (size_t)(end + 1 - line));
	if (feature < 0)
		return fail(reader,
			    "expected x and two hexadecimal digits, or another backslash, after a "
			    "backslash",
			    error);
	reader->features = 0;
	feature_stream_update(reader->stream, end + 1, (size_t)feature);
	feature_stream_end(reader->stream);
	if (reader->features != 1)
		return fail(reader, "this is not one feature of the measure", error);
	return enter(reader, weight, error);
}

static int read_lines(struct reader *reader, FILE *file, struct simhash_error *error)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t size;
	int status = 0;

	while (status == 0 && (size = getline(&line, &room, file)) >= 0) {
		reader->line++;
		if (size > LINE_MAX_BYTES) {
			status = fail(reader, "a line of more than a million bytes", error);
			break;
		}
		if (size > 0 && line[size - 1] == '\n')
			line[--size] = '\0';
		status = take_line(reader, line, (size_t)size, error);
	}
	if (status == 0 && !feof(file))
		status = error_set_errno(error, "cannot read %s", reader->path);
	free(line);
	return status;
}

int feature_weights_read(const char *path, const struct feature_spec *spec,
			 struct feature_weights **weights, struct simhash_error *error)
{
	struct reader reader = {.path = path};
	FILE *file = open_stream(path, O_RDONLY, 0, "rb");
	int status = -1;

	*weights = NULL;
	if (file == NULL)
		return error_set_errno(error, "cannot read %s", path);
	reader.weights = calloc(1, sizeof *reader.weights);
	reader.stream = feature_stream_new(spec, take_feature, &reader);
	if (reader.weights == NULL || reader.stream == NULL) {
		error_set_memory(error);
		goto out;
	}
	reader.weights->standard = 1;
	if (make_slots(reader.weights, SLOTS_LEAST, error) == 0)
		status = read_lines(&reader, file, error);
	reader.weights->sum += (uint64_t)reader.weights->standard;
out:
	feature_stream_free(reader.stream);
	fclose(file);
	if (status == 0)
		*weights = reader.weights;
	else
		feature_weights_free(reader.weights);
	return status;
}

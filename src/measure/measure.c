/*
 * Defines the table of measures, parses their parameters, and runs a sketcher for any measure. Each
 * measure has its own file.
 * SPDX-License-Identifier: MIT
 */
#include "measure/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "measure/weights.h"

static const struct measure_kind *const kinds[] = {
	&measure_simhash64,
	&measure_simhash128,
	&measure_minhash,
	&measure_bottomk,
};
#define KINDS (sizeof kinds / sizeof *kinds)
#define KIND_NAMES "simhash64, simhash128, minhash or bottomk"

static const char *const number_names[MEASURE_NUMBERS] = {"functions", "k", "cluster"};
static const unsigned number_min[MEASURE_NUMBERS] = {16, 8, 1};
static const unsigned number_max[MEASURE_NUMBERS] = {1024, 1024, 16};

const char *simhash_measure_name(unsigned i)
{
	return i < KINDS ? kinds[i]->name : NULL;
}

static int find_kind(const char *text, size_t size, const struct measure_kind **kind,
		     struct simhash_error *error)
{
	for (size_t i = 0; i < KINDS; i++)
		if (strlen(kinds[i]->name) == size && memcmp(kinds[i]->name, text, size) == 0) {
			*kind = kinds[i];
			return 0;
		}
	if (size == 6 && memcmp(text, "bottom", size) == 0)
		return error_set(error, SIMHASH_E_RANGE,
				 "unknown measure 'bottom': bottom:least=N is now bottomk:k=N");
	return error_set(error, SIMHASH_E_RANGE, "unknown measure '%.*s': expected " KIND_NAMES,
			 (int)size, text);
}

static int parse_number(struct simhash_measure *measure, int which, const char *text,
			struct simhash_error *error)
{
	unsigned long value;
	char *end = NULL;

	value = text[0] >= '1' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
	if (end == NULL || *end != '\0' || value < number_min[which] || value > number_max[which] ||
	    (which == NUMBER_FUNCTIONS && (value & (value - 1)) != 0))
		return error_set(error, SIMHASH_E_RANGE,
				 "measure %s: %s=%s: expected a %s from %u to %u",
				 measure->kind->name, number_names[which], text,
				 which == NUMBER_FUNCTIONS ? "power of two" : "number",
				 number_min[which], number_max[which]);
	measure->number[which] = (unsigned)value;
	return 0;
}

/* Record a given parameter. Bit MEASURE_NUMBERS is for the type of features. */
static int note_given(struct simhash_measure *measure, int which, unsigned *given,
		      struct simhash_error *error)
{
	if ((*given >> which & 1) != 0)
		return error_set(error, SIMHASH_E_SYNTAX, "measure %s: %s is given twice",
				 measure->kind->name,
				 which == MEASURE_NUMBERS ? "bytes or words" : number_names[which]);
	*given |= 1U << which;
	return 0;
}

/* Parse one parameter, "name=value" or a word. */
static int parse_parameter(struct simhash_measure *measure, const char *text, unsigned *given,
			   struct simhash_error *error)
{
	size_t name = strcspn(text, "=");

	for (int i = 0; i < MEASURE_NUMBERS; i++)
		if (measure->kind->default_number[i] != 0 && strlen(number_names[i]) == name &&
		    memcmp(number_names[i], text, name) == 0 && text[name] == '=')
			return note_given(measure, i, given, error) != 0
				       ? -1
				       : parse_number(measure, i, text + name + 1, error);
	if (name == 5 && (memcmp(text, "bytes", name) == 0 || memcmp(text, "words", name) == 0))
		return note_given(measure, MEASURE_NUMBERS, given, error) != 0
			       ? -1
			       : feature_spec_parse(text, &measure->spec, error);
	return error_set(error, SIMHASH_E_SYNTAX,
			 "measure %s has no parameter '%s': expected bytes=N, words=N%s%s%s",
			 measure->kind->name, text,
			 measure->kind->default_number[NUMBER_FUNCTIONS] != 0 ? ", functions=K"
									      : "",
			 measure->kind->default_number[NUMBER_K] != 0 ? ", k=N" : "",
			 measure->kind->default_number[NUMBER_CLUSTER] != 0 ? " or cluster=N" : "");
}

/* `text` is overwritten. */
static int parse_parameters(struct simhash_measure *measure, char *text,
			    struct simhash_error *error)
{
	unsigned given = 0;

	while (text != NULL && *text != '\0') {
		char *next = strchr(text, ',');
		if (next != NULL)
			*next++ = '\0';
		if (parse_parameter(measure, text, &given, error) != 0)
			return -1;
		text = next;
	}
	if (measure->number[NUMBER_K] != 0 &&
	    measure->number[NUMBER_CLUSTER] > measure->number[NUMBER_K])
		return error_set(error, SIMHASH_E_RANGE,
				 "measure %s: cluster=%u: expected at most k=%u",
				 measure->kind->name, measure->number[NUMBER_CLUSTER],
				 measure->number[NUMBER_K]);
	return 0;
}

static void write_text(struct simhash_measure *measure)
{
	size_t room = sizeof measure->text;
	int at = snprintf(measure->text, room, "%s:%s=%u", measure->kind->name,
			  measure->spec.kind == FEATURE_WORDS ? "words" : "bytes", measure->spec.n);

	for (int i = 0; i < MEASURE_NUMBERS; i++)
		if (measure->kind->default_number[i] != 0)
			at += snprintf(measure->text + at, room - (size_t)at, ",%s=%u",
				       number_names[i], measure->number[i]);
	if (measure->weights != NULL)
		snprintf(measure->text + at, room - (size_t)at, ",weights=%016llx",
			 (unsigned long long)measure->weights->sum);
}

static int set_weights(struct simhash_measure *measure, const struct simhash_weights *weights,
		       struct simhash_error *error)
{
	if (weights == NULL)
		return 0;
	if (!measure->kind->has_weights)
		return error_set(error, SIMHASH_E_SYNTAX, "measure %s accepts no weights",
				 measure->kind->name);
	return feature_weights_new(weights, &measure->spec, &measure->weights, error);
}

int simhash_measure_new(const char *text, struct simhash_measure **measure,
			struct simhash_error *error)
{
	return simhash_measure_new_weighted(text, NULL, measure, error);
}

int simhash_measure_new_weighted(const char *text, const struct simhash_weights *weights,
				 struct simhash_measure **measure, struct simhash_error *error)
{
	struct simhash_measure *made = calloc(1, sizeof *made);
	size_t name = strcspn(text, ":");
	char *parameters = NULL;
	int status = -1;

	*measure = NULL;
	if (made == NULL)
		return error_set_memory(error);
	if (find_kind(text, name, &made->kind, error) != 0)
		goto out;
	memcpy(made->number, made->kind->default_number, sizeof made->number);
	made->spec = (struct feature_spec){FEATURE_BYTES, 8, made->kind->has_second};
	parameters = strdup(text[name] == ':' ? text + name + 1 : "");
	if (parameters == NULL)
		error_set_memory(error);
	else
		status = parse_parameters(made, parameters, error);
	if (status == 0)
		status = set_weights(made, weights, error);
	if (status == 0)
		write_text(made);
out:
	free(parameters);
	if (status == 0)
		*measure = made;
	else
		simhash_measure_free(made);
	return status;
}

void simhash_measure_free(struct simhash_measure *measure)
{
	if (measure == NULL)
		return;
	feature_weights_free(measure->weights);
	free(measure);
}

const char *simhash_measure_text(const struct simhash_measure *measure)
{
	return measure->text;
}

size_t simhash_measure_sketch_size(const struct simhash_measure *measure)
{
	return measure->kind->sketch_size(measure);
}

double simhash_measure_min_similarity(const struct simhash_measure *measure)
{
	return measure->kind->min_similarity;
}

double simhash_measure_default_similarity(const struct simhash_measure *measure)
{
	return measure->kind->default_similarity;
}

/* ---- Sketchers ---- */

struct simhash_sketcher {
	const struct simhash_measure *measure;
	struct feature_stream *stream;
	void *state;
};

static void take_features(void *context, uint64_t *hashes, uint64_t *second, size_t count)
{
	struct simhash_sketcher *sketcher = context;

	sketcher->measure->kind->add(sketcher->measure, sketcher->state, hashes, second, count);
}

int simhash_sketcher_new(const struct simhash_measure *measure, struct simhash_sketcher **sketcher,
			 struct simhash_error *error)
{
	struct simhash_sketcher *made = calloc(1, sizeof *made);
	size_t size = (measure->kind->state_size(measure) + 63) / 64 * 64;

	*sketcher = NULL;
	if (made == NULL)
		return error_set_memory(error);
	made->measure = measure;
	made->state = aligned_alloc(64, size);
	made->stream = feature_stream_new(&measure->spec, take_features, made);
	if (made->state == NULL || made->stream == NULL) {
		simhash_sketcher_free(made);
		return error_set_memory(error);
	}
	measure->kind->begin(measure, made->state);
	*sketcher = made;
	return 0;
}

void simhash_sketcher_free(struct simhash_sketcher *sketcher)
{
	if (sketcher == NULL)
		return;
	feature_stream_free(sketcher->stream);
	free(sketcher->state);
	free(sketcher);
}

void simhash_sketcher_update(struct simhash_sketcher *sketcher, const void *bytes,
			     size_t size_bytes)
{
	feature_stream_update(sketcher->stream, bytes, size_bytes);
}

int simhash_sketcher_finish(struct simhash_sketcher *sketcher, uint8_t *sketch, size_t size_bytes,
			    uint64_t *features, struct simhash_error *error)
{
	const struct simhash_measure *measure = sketcher->measure;
	uint64_t count;

	if (size_bytes < measure->kind->sketch_size(measure))
		return error_set(error, SIMHASH_E_RANGE,
				 "a sketch of %s needs %zu bytes, and the buffer has %zu",
				 measure->text, measure->kind->sketch_size(measure), size_bytes);
	count = feature_stream_end(sketcher->stream);
	if (!measure->kind->finish(measure, sketcher->state, sketch))
		count = 0;
	measure->kind->begin(measure, sketcher->state);
	if (features != NULL)
		*features = count;
	return 0;
}

void simhash_sketcher_reset(struct simhash_sketcher *sketcher)
{
	feature_stream_end(sketcher->stream);
	sketcher->measure->kind->begin(sketcher->measure, sketcher->state);
}

/* ---- Sketches ---- */

double simhash_sketch_similarity(const struct simhash_measure *measure, const uint8_t *a,
				 const uint8_t *b, double *deviation)
{
	double ignored;

	return measure->kind->similarity(measure, a, b, deviation == NULL ? &ignored : deviation);
}

int64_t simhash_sketch_cluster(const struct simhash_measure *measure, const uint8_t *sketch)
{
	return measure->kind->cluster(measure, sketch);
}

int simhash_sketch_pairs(const struct simhash_measure *measure, const uint8_t *sketches,
			 size_t count, double min_similarity, simhash_pair_fn *pair, void *context,
			 struct simhash_error *error)
{
	if (!(min_similarity >= measure->kind->min_similarity && min_similarity <= 1))
		return error_set(error, SIMHASH_E_RANGE,
				 "similarity %g: measure %s finds pairs from %g to 1",
				 min_similarity, measure->kind->name,
				 measure->kind->min_similarity);
	if (count < 2)
		return 0;
	return measure->kind->pairs(measure, sketches, count, min_similarity, pair, context, error);
}

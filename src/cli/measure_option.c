/*
 * The argument of --measure: the library makes measures and weights, and only users name the
 * files of weights.
 * SPDX-License-Identifier: MIT
 */
#include "cli/measure_option.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

#define WEIGHTS "weights="

/* Where the parameter weights=FILE begins, or NULL. A file name may have any byte, so it is last. */
static const char *find_weights(const char *text)
{
	const char *at = strpbrk(text, ":,");

	while (at != NULL && strncmp(at + 1, WEIGHTS, strlen(WEIGHTS)) != 0)
		at = strchr(at + 1, ',');
	return at;
}

int measure_option_parse(const char *text, struct simhash_measure **measure,
			 struct simhash_error *error)
{
	const char *at = find_weights(text);
	struct simhash_weights *weights = NULL;
	char *rest;
	int status = -1;

	if (at == NULL)
		return simhash_measure_new(text, measure, error);
	*measure = NULL;
	rest = strndup(text, (size_t)(at - text));
	if (rest == NULL)
		return error_set_memory(error);
	if (simhash_weights_read(at + 1 + strlen(WEIGHTS), &weights, error) == 0)
		status = simhash_measure_new_weighted(rest, weights, measure, error);
	simhash_weights_free(weights);
	free(rest);
	return status;
}

/*
 * Finds the measure with a given name among the measures of the index.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/find_measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "cli/options/options.h"
#include "store/names/names.h"

/* The measures of the index with this name. */
struct namesakes {
	const char *name;
	char text[SIMHASH_MEASURE_TEXT_MAX + 1]; /* the text of the last one */
	unsigned count;
	bool has_weights; /* does the last one have weights? */
	FILE *choices;
};

static void keep_namesake(struct namesakes *namesakes, struct bytes text)
{
	static const char parameter[] = "weights=";
	size_t size = strlen(namesakes->name);
	const char *weights;

	if (text.size <= size || memcmp(text.data, namesakes->name, size) != 0 ||
	    text.data[size] != ':' || text.size >= sizeof namesakes->text)
		return;
	memcpy(namesakes->text, text.data, text.size);
	namesakes->text[text.size] = '\0';
	weights = strstr(namesakes->text, parameter);
	namesakes->has_weights = weights != NULL;
	if (namesakes->count++ > 0)
		fputs(" or ", namesakes->choices);
	/* The index only stores a hash of the weights. */
	if (weights != NULL)
		fprintf(namesakes->choices, "%.*sFILE",
			(int)(weights + strlen(parameter) - namesakes->text), namesakes->text);
	else
		fputs(namesakes->text, namesakes->choices);
}

/*
 * The only measure with this name, or an error if there are several. No file is opened only because
 * an index names it.
 */
static int choose_namesake(const struct namesakes *namesakes, const char *choices,
			   const char **text, struct simhash_error *error)
{
	if (namesakes->count > 1)
		return error_set(
			error, SIMHASH_E_RANGE,
			"--measure=%s: the index has %u measures of this name; expected %s",
			namesakes->name, namesakes->count, choices);
	if (namesakes->count == 1 && namesakes->has_weights)
		return error_set(error, SIMHASH_E_RANGE,
				 "--measure=%s: the measure of this name in the index has weights; "
				 "expected %s",
				 namesakes->name, choices);
	if (namesakes->count == 1)
		*text = namesakes->text;
	return 0;
}

/* The requested measure. A name alone means the only measure of the index with this name. */
static int choose_measure(const char *text, struct store *store, struct simhash_measure **measure,
			  struct simhash_error *error)
{
	struct namesakes namesakes = {.name = text};
	struct name_list measures;
	char *choices = NULL;
	size_t size;
	int status = -1;

	if (strchr(text, ':') != NULL)
		return measure_option_parse(text, measure, error);
	if (store_read_measures(store, &measures, error) != 0)
		return -1;
	namesakes.choices = open_memstream(&choices, &size);
	if (namesakes.choices != NULL) {
		for (size_t i = 0; i < measures.count; i++)
			keep_namesake(&namesakes, measures.names[i].text);
		if (close_text(namesakes.choices, &choices) == 0)
			status = choose_namesake(&namesakes, choices, &text, error);
	}
	if (choices == NULL)
		error_set_memory(error);
	if (status == 0)
		status = measure_option_parse(text, measure, error);
	free(choices);
	name_list_release(&measures);
	return status;
}

int resolve_measure(struct find_request *request, struct store *store, struct simhash_error *error)
{
	if (request->measure_text == NULL)
		return 0;
	if (choose_measure(request->measure_text, store, &request->measure, error) != 0)
		return -1;
	if (request->min_similarity == 0)
		request->min_similarity = simhash_measure_default_similarity(request->measure);
	/*
	 * Pairs that are similar enough by the measure must not be dropped by a stricter default.
	 */
	if (request->min_similarity < request->rule.verify.min_resemblance)
		request->rule.verify.min_resemblance = request->min_similarity;
	return 0;
}

/*
 * Which measure a name stands for.
 * SPDX-License-Identifier: MIT
 */
#include "cli/find_measure.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/options.h"
#include "store/names.h"

struct namesake {
	const char *name; /* of the measure wanted */
	char text[SIMHASH_MEASURE_TEXT_MAX + 1];
	unsigned count;
	char by_default[SIMHASH_MEASURE_TEXT_MAX + 1]; /* what the name alone stands for */
	bool has_default;
	bool has_weights; /* another one */
};

static void keep_namesake(struct namesake *namesake, struct bytes text)
{
	size_t size = strlen(namesake->name);

	if (text.size <= size || memcmp(text.data, namesake->name, size) != 0 ||
	    text.data[size] != ':' || text.size >= sizeof namesake->text)
		return;
	/* An index must not cause a file to be opened. */
	if (memmem(text.data, text.size, "weights=", 8) != NULL) {
		namesake->has_weights = true;
		return;
	}
	namesake->count++;
	memcpy(namesake->text, text.data, text.size);
	namesake->text[text.size] = '\0';
	if (strcmp(namesake->text, namesake->by_default) == 0)
		namesake->has_default = true;
}

/*
 * The measure wanted. A name alone is the one of that name that the index has, if it is one;
 * weights have to be given, since the index knows but their hash.
 */
static int choose_measure(const struct find_arguments *arguments, struct store *store,
			  struct simhash_measure **measure, struct simhash_error *error)
{
	struct namesake namesake = {.name = arguments->request.measure_text};
	const char *text = arguments->request.measure_text;

	if (strchr(text, ':') == NULL) {
		struct simhash_measure *measure_by_default;
		struct name_list measures;
		if (measure_option_parse(text, &measure_by_default, error) != 0)
			return -1;
		snprintf(namesake.by_default, sizeof namesake.by_default, "%s",
			 simhash_measure_text(measure_by_default));
		simhash_measure_free(measure_by_default);
		if (store_read_measures(store, &measures, error) != 0)
			return -1;
		for (size_t i = 0; i < measures.count; i++)
			keep_namesake(&namesake, measures.names[i].text);
		name_list_release(&measures);
		if (namesake.count > 1 && !namesake.has_default)
			return error_set(
				error, SIMHASH_E_RANGE,
				"the index has %u measures called %s; give one in full, such as %s",
				namesake.count, text, namesake.text);
		if (namesake.count == 0 && namesake.has_weights)
			return error_set(error, SIMHASH_E_RANGE,
					 "the measures called %s in the index have weights; give "
					 "them, as in --measure=%s:words,weights=FILE",
					 text, text);
		if (namesake.count == 1)
			text = namesake.text;
	}
	return measure_option_parse(text, measure, error);
}

int resolve_measure(struct find_arguments *arguments, struct store *store,
		    struct simhash_error *error)
{
	struct find_request *request = &arguments->request;

	if (request->measure_text == NULL)
		return 0;
	if (choose_measure(arguments, store, &request->measure, error) != 0)
		return -1;
	if (request->min_similarity == 0)
		request->min_similarity = simhash_measure_default_similarity(request->measure);
	/* What a measure calls similar enough is not to be dropped by a stricter default. */
	if (!arguments->has_min_resemblance &&
	    request->min_similarity < request->rule.verify.min_resemblance)
		request->rule.verify.min_resemblance = request->min_similarity;
	return 0;
}

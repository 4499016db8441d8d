/*
 * Completes a request: converts the text of --measure, and reads the lists of --known and reports how
 * much memory they take.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simfind/resolve_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "cli/options/options.h"
#include "cli/terminal/terminal.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"

#define PROGRAM "simfind"

/* ---- Measures ---- */

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

/* ---- Known contents ---- */

static void note_known(const struct find_arguments *arguments, const struct known_contents *known)
{
	char count[32], lists[32], bytes[32], *text;

	if (arguments->quiet ||
	    asprintf(&text,
		     "note: files of %s known hash%s of %s list%s are left out, "
		     "which took %s of memory",
		     format_count(known->count, count), known->count == 1 ? "" : "es",
		     format_count(arguments->known_count, lists),
		     arguments->known_count == 1 ? "" : "s",
		     format_bytes((double)known->bytes, bytes)) < 0)
		return;
	say(PROGRAM, text);
	free(text);
}

/* Read one list, and warn if it may be incomplete. */
static int read_list(const struct find_known *list, struct known_contents *known,
		     struct simhash_error *error)
{
	const char *doubt;

	if (known_contents_read(known, list->path, list->format, &doubt, error) != 0)
		return -1;
	if (doubt != NULL)
		say_path(PROGRAM, bytes_of(list->path), doubt);
	return 0;
}

int read_known_lists(const struct find_known *lists, size_t count,
		     const struct simhash_tag_set *tags, struct store *store,
		     struct known_contents *known, struct simhash_error *error)
{
	int64_t tag_set;

	if (store_tag_set_id(store, tags, false, &tag_set, error) != 0 ||
	    known_contents_init(known, store, tag_set, error) != 0)
		return -1;
	for (size_t i = 0; i < count; i++)
		if (read_list(&lists[i], known, error) != 0)
			return -1;
	return known_contents_end(known, error);
}

int read_known(const struct find_arguments *arguments, struct find_request *request,
	       struct store *store, struct known_contents *known, struct simhash_error *error)
{
	if (arguments->known_count == 0)
		return 0;
	if (read_known_lists(arguments->known, arguments->known_count, request->tags, store, known,
			     error) != 0)
		return -1;
	request->known = known;
	note_known(arguments, known);
	return 0;
}

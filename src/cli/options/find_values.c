/*
 * Parses the values of simfind's options.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options/find_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/data/array.h"
#include "cli/options/options.h"
#include "report/formats/formats.h"

#define PARTS_MAX 65536
#define NEAREST_MAX 100000

/* ---- Similarity ---- */

/* Remember a file that an option reads, because the output must not replace it. */
int add_input(struct find_arguments *arguments, const char *path, const char *what,
	      struct simhash_error *error)
{
	if (array_reserve(&arguments->inputs, &arguments->input_capacity,
			  arguments->input_count + 1, sizeof *arguments->inputs, error) != 0)
		return -1;
	arguments->inputs[arguments->input_count++] = (struct find_input){path, what};
	return 0;
}

int add_tolerance(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	struct find_rule *rule = use->field;
	const char *text = use->text;

	if (text[0] == '@')
		return add_input(arguments, text + 1, "it has the tolerances of --tolerance",
				 error) != 0
			       ? -1
			       : rule_read_tolerances(rule, text + 1, error);
	if (strchr(text, '=') != NULL)
		return rule_add_tolerance(rule, text, error);
	arguments->has_tolerance = true;
	return simhash_tolerance_parse(text, &rule->tolerance.percent_millionths, error);
}

/* Unlike the default, the value "exact" also pairs unverified files of any extension. */
int set_candidates(const struct option_use *use, struct simhash_error *error)
{
	struct find_rule *rule = use->field;

	(void)error;
	rule->candidates = use->word == 0 ? CANDIDATES_EXACT : CANDIDATES_KEY;
	rule->key = use->word == 0 ? SIMHASH_UNIFORM : (enum simhash_key)(use->word - 1);
	return 0;
}

int set_size_ratio(const struct option_use *use, struct simhash_error *error)
{
	struct find_rule *rule = use->field;

	if (simhash_size_ratio_parse(use->text, &rule->tolerance.size_ratio_millionths, error) != 0)
		return -1;
	rule->verify.size_ratio_millionths = rule->tolerance.size_ratio_millionths;
	return 0;
}

/* The measure is made only to report its errors before an index is opened. */
int set_measure(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	struct simhash_measure *measure;

	if (arguments->request.measure_text != NULL)
		return error_set(error, SIMHASH_E_SYNTAX, "--measure can be given only once");
	if (measure_option_parse(use->text, &measure, error) != 0)
		return -1;
	simhash_measure_free(measure);
	arguments->request.measure_text = use->text;
	return 0;
}

int set_min_resemblance(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->has_min_resemblance = true;
	return parse_share(use, use->field, error);
}

int set_directories(const struct option_use *use, struct simhash_error *error)
{
	((struct find_arguments *)use->arguments)->directories = true;
	return use->text == NULL ? 0 : parse_share(use, use->field, error);
}

/* N, <N or >N. */
int set_copies(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	char sign = use->text[0] == '<' || use->text[0] == '>' ? use->text[0] : '=';
	struct option_use number = *use;
	uint64_t copies;

	if (sign != '=')
		number.text++;
	if (parse_number(&number, 1, UINT32_MAX, &copies, error) != 0)
		return -1;
	arguments->has_copies = true;
	arguments->least_copies = sign == '<' ? 1 : sign == '>' ? copies + 1 : copies;
	arguments->most_copies = sign == '<' ? copies - 1 : sign == '>' ? UINT64_MAX : copies;
	return 0;
}

/* ---- Which files ---- */

int add_find_exclude(const struct option_use *use, struct simhash_error *error)
{
	const char *text = use->text;

	if (text[0] == '@' &&
	    add_input(use->arguments, text + 1, "it has the patterns of --exclude", error) != 0)
		return -1;
	return add_exclude(use, error);
}

int add_kind(const struct option_use *use, struct simhash_error *error)
{
	(void)error;
	*(unsigned *)use->field |= (unsigned)use->row->constant;
	return 0;
}

/* A path that is too long for the buffer is matched if there is enough memory. */
bool find_filter_takes(const void *context, struct bytes directory, struct bytes name,
		       int64_t size_bytes)
{
	const struct find_arguments *arguments = context;
	char buffer[8192], *path = buffer;
	size_t size = directory.size + 1 + name.size;
	bool is_taken;

	if (size >= sizeof buffer)
		path = malloc(size + 1);
	if (path == NULL)
		return !exclusions_leave_out_size(&arguments->exclusions, size_bytes);
	memcpy(path, directory.data, directory.size);
	path[directory.size] = '/';
	memcpy(path + directory.size + 1, name.data, name.size);
	path[size] = '\0';
	is_taken = operands_let_through(&arguments->operands, &arguments->exclusions, path,
					size_bytes);
	if (path != buffer)
		free(path);
	return is_taken;
}

int set_partition(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	const char *text = use->text;
	unsigned long part, parts = 0;
	char *end;

	errno = 0;
	part = strtoul(text, &end, 10);
	if (text[0] >= '1' && text[0] <= '9' && *end == '/' && end[1] >= '1' && end[1] <= '9')
		parts = strtoul(end + 1, &end, 10);
	if (errno != 0 || parts == 0 || *end != '\0' || part > parts || parts > PARTS_MAX)
		return error_set(error, SIMHASH_E_RANGE,
				 "--partition '%s': expected I/N, such as 2/8, with I from 1 to N "
				 "and N up to %d",
				 text, PARTS_MAX);
	arguments->request.part = (unsigned)part - 1;
	arguments->request.parts = (unsigned)parts;
	return 0;
}

int set_nearest(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	uint64_t number;

	if (parse_number(use, 1, NEAREST_MAX, &number, error) != 0)
		return -1;
	arguments->request.nearest = (size_t)number;
	return 0;
}

/* ---- Output ---- */

/* The words that follow the kinds of linkage. */
enum { GROUP_LINEAGE = LINK_SINGLE + 1, GROUP_NONE };

int set_group(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	enum linkage *linkage = use->field;

	(void)error;
	arguments->has_groups = use->word != GROUP_NONE;
	arguments->request.expand = use->word == GROUP_NONE;
	arguments->lineage = arguments->request.with_dates = use->word == GROUP_LINEAGE;
	*linkage = use->word == 0 ? LINK_REPRESENTATIVE : LINK_SINGLE;
	return 0;
}

int set_order(const struct option_use *use, struct simhash_error *error)
{
	bool *with_references = use->field;

	(void)error;
	((struct find_arguments *)use->arguments)->lists_order = true;
	/* Differences are stored for bytes and not for texts. */
	((struct find_arguments *)use->arguments)->request.as_files = true;
	*with_references = use->word == 1;
	return 0;
}

/* Each key is in the list twice; the second one has a "-", which reverses the order. */
int set_sort(const struct option_use *use, struct simhash_error *error)
{
	struct listing_order *order = use->field;

	(void)error;
	order->by = (enum sort_by)(SORT_SIZE + use->word % SORT_KEYS);
	order->reverse = use->word >= SORT_KEYS;
	return 0;
}

int set_limit(const struct option_use *use, struct simhash_error *error)
{
	return parse_number(use, 1, UINT32_MAX, use->field, error);
}

/* Twice as many pairs may be in memory. This maximum keeps them below a terabyte. */
#define STORED_PAIRS_MAX UINT32_MAX

int set_store(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	uint64_t pairs = STORED_PAIRS_DEFAULT;

	if (use->text != NULL && parse_number(use, 0, STORED_PAIRS_MAX, &pairs, error) != 0)
		return -1;
	arguments->stores = true;
	arguments->stored_pairs_max = (size_t)pairs;
	return 0;
}

/* Only html:thumbnails has a part after the ":". */
int set_format(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	(void)error;
	arguments->has_format = true;
	arguments->thumbnails = strchr(use->text, ':') != NULL;
	*(const struct formatter **)use->field =
		formatter_find(arguments->thumbnails ? "html" : use->text);
	return 0;
}

/* The value is "nsrl:FILE", or FILE, whose format is then detected. */
int add_known(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	struct find_known known = {use->text, KNOWN_BY_FORM};

	for (unsigned i = 0; known_format_names[i] != NULL; i++) {
		size_t size = strlen(known_format_names[i]);
		if (strncmp(use->text, known_format_names[i], size) == 0 && use->text[size] == ':')
			known = (struct find_known){use->text + size + 1, (enum known_format)i};
	}
	if (array_reserve(&arguments->known, &arguments->known_capacity, arguments->known_count + 1,
			  sizeof *arguments->known, error) != 0)
		return -1;
	arguments->known[arguments->known_count++] = known;
	return add_input(arguments, known.path, "it is a list of --known", error);
}

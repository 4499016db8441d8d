/*
 * What is particular to the values of simfind's options.
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
#define TOLERANCES_MAX 1000

/* ---- What is similar ---- */

int set_tolerance(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->has_tolerance = true;
	return simhash_tolerance_parse(use->text, use->field, error);
}

int set_key(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->has_key = true;
	return set_enum(use, error);
}

int add_tolerance_for(const struct option_use *use, struct simhash_error *error)
{
	return rule_add_tolerance(use->field, use->text, error);
}

int add_tolerances(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->tolerances_path = use->text;
	return rule_read_tolerances(use->field, use->text, error);
}

int set_size_ratio(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	if (simhash_size_ratio_parse(use->text, use->field, error) != 0)
		return -1;
	arguments->request.versions_ratio_millionths =
		arguments->request.rule.tolerance.size_ratio_millionths;
	return 0;
}

/* A measure is made only to have its errors before an index is opened. */
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

int set_min_similarity(const struct option_use *use, struct simhash_error *error)
{
	double *similarity = use->field;

	if (parse_decimal(use, use->text, 1, similarity, error) != 0)
		return -1;
	return *similarity > 0
		       ? 0
		       : error_set(error, SIMHASH_E_RANGE,
				   "--min-similarity '%s': expected a number above 0", use->text);
}

int set_min_resemblance(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->has_min_resemblance = true;
	return parse_decimal(use, use->text, 1, use->field, error);
}

int set_min_shared(const struct option_use *use, struct simhash_error *error)
{
	return parse_decimal(use, use->text, 1, use->field, error);
}

/* ---- Statistics ---- */

int add_measured_tolerance(struct find_arguments *arguments, int64_t percent_millionths,
			   struct simhash_error *error)
{
	if (arguments->tolerance_count == TOLERANCES_MAX)
		return error_set(error, SIMHASH_E_RANGE,
				 "--sweep has more than %d tolerances; expected a larger FACTOR",
				 TOLERANCES_MAX);
	if (array_reserve(&arguments->tolerances, &arguments->tolerance_capacity,
			  arguments->tolerance_count + 1, sizeof *arguments->tolerances,
			  error) != 0)
		return -1;
	arguments->tolerances[arguments->tolerance_count++] = percent_millionths;
	return 0;
}

/* The tolerances are FROM * FACTOR^k, each rounded to a millionth. */
static int add_sweep(struct find_arguments *arguments, int64_t from, double limit, double factor,
		     struct simhash_error *error)
{
	int64_t last = -1;

	arguments->tolerance_count = 0;
	for (double t = (double)from; t <= limit + 0.5; t *= factor) {
		int64_t rounded = (int64_t)(t + 0.5);
		if (rounded != last && add_measured_tolerance(arguments, rounded, error) != 0)
			return -1;
		last = rounded;
	}
	return 0;
}

int set_sweep(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	const char *text = use->text == NULL ? "0.01:6:1.2" : use->text;
	char *copy = strdup(text), *to, *by = NULL;
	double limit = 0, factor = 0;
	int64_t from = 0;
	int status = -1;

	if (copy == NULL)
		return error_set_memory(error);
	to = strchr(copy, ':');
	if (to != NULL) {
		*to++ = '\0';
		by = strchr(to, ':');
	}
	if (by == NULL) {
		error_set(error, SIMHASH_E_SYNTAX,
			  "--sweep '%s': expected FROM:TO:FACTOR, such as 0.01:6:1.2", text);
		goto out;
	}
	*by++ = '\0';
	if (simhash_tolerance_parse(copy, &from, error) != 0 ||
	    parse_decimal(use, to, 100, &limit, error) != 0 ||
	    parse_decimal(use, by, 1000, &factor, error) != 0)
		goto out;
	limit *= SIMHASH_MILLION;
	arguments->is_sweep = true;
	status = from > 0 && factor > 1 && limit >= (double)from
			 ? add_sweep(arguments, from, limit, factor, error)
			 : error_set(error, SIMHASH_E_RANGE,
				     "--sweep '%s': expected FROM above 0, TO not below FROM, and "
				     "FACTOR above 1",
				     text);
out:
	free(copy);
	return status;
}

/* ---- Which files ---- */

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

int set_group(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->has_groups = true;
	return set_enum(use, error);
}

/* Versions need not be alike to the first one, nor agree in their counts. */
int set_lineage(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	arguments->has_groups = true;
	arguments->linkage = LINK_SINGLE;
	arguments->request.versions = true;
	return set_flag(use, error);
}

int set_order(const struct option_use *use, struct simhash_error *error)
{
	bool *with_references = use->field;

	(void)error;
	((struct find_arguments *)use->arguments)->lists_order = true;
	*with_references = use->word == 1;
	return 0;
}

int set_limit(const struct option_use *use, struct simhash_error *error)
{
	return parse_number(use, 1, UINT32_MAX, use->field, error);
}

/* The maximum keeps the pairs, of which twice as many may be in memory, below a terabyte. */
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

/* --null is --format=null. */
int set_format(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;

	(void)error;
	arguments->has_format = true;
	*(const struct formatter **)use->field =
		formatter_find(use->text != NULL ? use->text : "null");
	return 0;
}

int add_known(const struct option_use *use, struct simhash_error *error)
{
	struct find_arguments *arguments = use->arguments;
	size_t count = arguments->known_count;

	if (array_reserve(&arguments->known_paths, &arguments->known_capacity, count + 1,
			  sizeof *arguments->known_paths, error) != 0)
		return -1;
	arguments->known_paths[arguments->known_count++] = use->text;
	return 0;
}

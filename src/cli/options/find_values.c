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

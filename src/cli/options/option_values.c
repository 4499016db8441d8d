/*
 * Parses the values of options that all programs have: flags, numbers, sizes and words.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"
#include "base/text/decimal.h"
#include "base/threads/threads.h"
#include "cli/options/option_table.h"

int set_flag(const struct option_use *use, struct simhash_error *error)
{
	(void)error;
	*(bool *)use->field = true;
	return 0;
}

int set_text(const struct option_use *use, struct simhash_error *error)
{
	(void)error;
	*(const char **)use->field = use->text;
	return 0;
}

int parse_number(const struct option_use *use, uint64_t minimum, uint64_t maximum, uint64_t *value,
		 struct simhash_error *error)
{
	char *end;

	errno = 0;
	*value = strtoull(use->text, &end, 10);
	if (errno == 0 && use->text[0] >= '0' && use->text[0] <= '9' && *end == '\0' &&
	    *value >= minimum && *value <= maximum)
		return 0;
	return error_set(error, SIMHASH_E_RANGE, "--%s '%s': expected a number from %llu to %llu",
			 use->row->name, use->text, (unsigned long long)minimum,
			 (unsigned long long)maximum);
}

int parse_share(const struct option_use *use, double *share, struct simhash_error *error)
{
	bool is_percent;
	size_t size = decimal_size(use->text, &is_percent);
	int64_t whole = is_percent ? 100 * SIMHASH_MILLION : SIMHASH_MILLION, millionths;

	if (decimal_parse(use->text, size, 6, whole, &millionths) == DECIMAL_OK) {
		*share = (double)millionths / (double)whole;
		return 0;
	}
	return error_set(
		error, SIMHASH_E_RANGE,
		"--%s '%s': expected a percentage such as 75%%, or a number from 0 to 1, with at "
		"most six decimal places",
		use->row->name, use->text);
}

int set_threads(const struct option_use *use, struct simhash_error *error)
{
	uint64_t value;

	if (parse_number(use, 1, THREADS_MAX, &value, error) != 0)
		return -1;
	*(unsigned *)use->field = (unsigned)value;
	return 0;
}

/*
 * Return the factor of a unit: k, M, G ... and KiB, MiB, GiB ... are powers of 1024, kB, MB, GB ...
 * are powers of 1000, all in upper or lower case. Return 0 for other texts.
 */
static int64_t unit_of(const char *text)
{
	static const char letters[] = "kmgtp";
	char unit_text[4] = "";
	const char *letter;
	int64_t unit = 1;
	bool is_decimal;

	if (text[0] == '\0')
		return 1;
	if (strlen(text) >= sizeof unit_text)
		return 0;
	ascii_lower_copy(unit_text, text, strlen(text));
	letter = strchr(letters, unit_text[0]);
	is_decimal = strcmp(unit_text + 1, "b") == 0;
	if (letter == NULL ||
	    (unit_text[1] != '\0' && !is_decimal && strcmp(unit_text + 1, "ib") != 0))
		return 0;
	for (long i = 0; i <= letter - letters; i++)
		unit *= is_decimal ? 1000 : 1024;
	return unit;
}

int set_size(const struct option_use *use, struct simhash_error *error)
{
	char *end;
	long long number;
	int64_t unit = 0;

	errno = 0;
	number = strtoll(use->text, &end, 10);
	if (errno == 0 && use->text[0] >= '0' && use->text[0] <= '9')
		unit = unit_of(end);
	if (unit == 0 || number > INT64_MAX / unit)
		return error_set(error, SIMHASH_E_RANGE,
				 "--%s '%s': expected a number of bytes, or one with a unit such "
				 "as 10k, 5M or 2G",
				 use->row->name, use->text);
	*(int64_t *)use->field = number * unit;
	return 0;
}

/* With less memory, neither the rows of an index nor archives can be read. */
#define MEMORY_MIN ((int64_t)32 << 20)

int set_memory(const struct option_use *use, struct simhash_error *error)
{
	int64_t *bytes = use->field;

	if (set_size(use, error) != 0)
		return -1;
	if (*bytes >= MEMORY_MIN && (uint64_t)*bytes <= SIZE_MAX)
		return 0;
	return error_set(error, SIMHASH_E_RANGE, "--%s '%s': expected at least 32M", use->row->name,
			 use->text);
}

const char *const progress_words[] = {"auto", "always", "never", NULL};

_Static_assert(sizeof(enum value_kind) == sizeof(unsigned), "enums are written as unsigned");

int set_enum(const struct option_use *use, struct simhash_error *error)
{
	(void)error;
	*(unsigned *)use->field = (unsigned)(use->row->constant + use->word);
	return 0;
}

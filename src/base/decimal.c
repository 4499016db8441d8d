/*
 * Exact decimals, so that every floor of the algorithm is exact and equal on every machine.
 * Callers word the errors.
 * SPDX-License-Identifier: MIT
 */
#include "base/decimal.h"

#include <stdbool.h>

/* value = value * 10 + digit, or false when that exceeds `largest`. */
static bool append_digit(int64_t *value, int digit, int64_t largest)
{
	if (*value > (largest - digit) / 10)
		return false;
	*value = *value * 10 + digit;
	return true;
}

enum decimal_status decimal_parse(const char *text, size_t length, unsigned places, int64_t largest,
				  int64_t *value)
{
	unsigned seen_places = 0;
	bool seen_point = false, seen_digit = false, fits = true;

	*value = 0;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '.' && !seen_point) {
			seen_point = true;
			continue;
		}
		if (text[i] < '0' || text[i] > '9')
			return DECIMAL_SYNTAX;
		seen_digit = true;
		if (seen_point && ++seen_places > places)
			return DECIMAL_PLACES;
		fits = fits && append_digit(value, text[i] - '0', largest);
	}
	if (!seen_digit)
		return DECIMAL_SYNTAX;
	for (; seen_places < places; seen_places++)
		fits = fits && append_digit(value, 0, largest);
	return fits ? DECIMAL_OK : DECIMAL_RANGE;
}

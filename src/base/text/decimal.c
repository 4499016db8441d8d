/*
 * Parses decimals with integers only, so every floor of the algorithm is exact and the same on
 * every machine, and formats numbers for display. The callers write the error messages.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/decimal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Append a digit: value = value * 10 + digit. Returns false if the result exceeds `largest`. */
static bool append_digit(int64_t *value, int digit, int64_t largest)
{
	if (*value > (largest - digit) / 10)
		return false;
	*value = *value * 10 + digit;
	return true;
}

size_t decimal_size(const char *text, bool *has_percent)
{
	size_t size = strlen(text);

	*has_percent = size > 0 && text[size - 1] == '%';
	if (!*has_percent)
		return size;
	return size > 1 && text[size - 2] == ' ' ? size - 2 : size - 1;
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

double shown_share(double share, bool is_whole, unsigned steps)
{
	double step = 1.0 / steps;

	if (is_whole || share <= 0)
		return share;
	return share < step ? step : share > 1 - step ? 1 - step : share;
}

unsigned share_in_steps(double share, unsigned steps)
{
	/* 0.29 is a little less than 29 hundredths. */
	return (unsigned)(steps * shown_share(share, false, steps) + 1e-6);
}

const char *format_count(uint64_t count, char *buffer)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
	char *write = buffer;

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*write++ = ',';
		*write++ = digits[i];
	}
	*write = '\0';
	return buffer;
}

const char *format_bytes(double bytes, char *buffer)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
	size_t unit = 0;

	while (bytes >= 999.95 && unit + 1 < sizeof units / sizeof *units) {
		bytes /= 1000;
		unit++;
	}
	snprintf(buffer, 32, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
	return buffer;
}

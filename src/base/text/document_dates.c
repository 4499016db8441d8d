/*
 * Reads the times of documents.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/document_dates.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/basic/ascii.h"

#define SECOND_NS INT64_C(1000000000)
#define DAY_NS (86400 * SECOND_NS)

static bool take(struct bytes *text, char c)
{
	if (text->size == 0 || text->data[0] != c)
		return false;
	text->data++;
	text->size--;
	return true;
}

/* Read a number of two digits. */
static bool take_two(struct bytes *text, int *number)
{
	if (text->size < 2 || !ascii_is_digit(text->data[0]) || !ascii_is_digit(text->data[1]))
		return false;
	*number = (text->data[0] - '0') * 10 + (text->data[1] - '0');
	text->data += 2;
	text->size -= 2;
	return true;
}

/* Read a zone such as +01:00, +01'00' or +01, and return its seconds; 0 for any other text. */
static int zone_seconds(struct bytes text)
{
	int sign = take(&text, '-') ? -1 : 1, hours, minutes = 0;

	if ((sign > 0 && !take(&text, '+')) || !take_two(&text, &hours))
		return 0;
	if (!take(&text, ':'))
		take(&text, '\'');
	take_two(&text, &minutes);
	return sign * (hours * 3600 + minutes * 60);
}

/* The days from 1970 to a date of the Gregorian calendar. */
static int64_t days_to(int year, int month, int day)
{
	int64_t y = month <= 2 ? year - 1 : year, shifted = (month + 9) % 12;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * shifted + 2) / 5 + day - 719469;
}

/* Read the six numbers of a time, with the characters of ISO 8601 between them. */
static bool take_numbers(struct bytes *text, int numbers[6])
{
	static const char between[] = "--T::";
	bool is_pdf = text->size > 4 && text->data[4] != between[0];
	int century;

	if (!take_two(text, &century) || !take_two(text, &numbers[0]))
		return false;
	numbers[0] += century * 100;
	for (int i = 1; i < 5; i++)
		if ((!is_pdf && !take(text, between[i - 1])) || !take_two(text, &numbers[i]))
			return false;
	numbers[5] = 0; /* a PDF may have no seconds */
	if (!is_pdf && !take(text, between[4]))
		return false;
	return take_two(text, &numbers[5]) || is_pdf;
}

int64_t document_time_parse(struct bytes text)
{
	int n[6];

	if (take(&text, 'D'))
		take(&text, ':');
	if (!take_numbers(&text, n) || n[0] < 1981 || n[0] > 2199 || n[1] < 1 || n[1] > 12 ||
	    n[2] < 1 || n[2] > 31 || n[3] > 23 || n[4] > 59 || n[5] > 60)
		return 0;
	if (take(&text, '.'))
		while (text.size > 0 && ascii_is_digit(text.data[0]))
			take(&text, text.data[0]);
	return (days_to(n[0], n[1], n[2]) * 86400 + n[3] * 3600 + n[4] * 60 + n[5] -
		zone_seconds(text)) *
	       SECOND_NS;
}

int64_t document_revision_parse(struct bytes text)
{
	int64_t number = 0;

	for (size_t i = 0; i < text.size; i++) {
		if (!ascii_is_digit(text.data[i]))
			return 0;
		number = number * 10 + (text.data[i] - '0');
		if (number > INT32_MAX)
			return 0;
	}
	return number;
}

void document_dates_check(struct document_dates *dates, int64_t now_ns)
{
	int64_t latest_ns = now_ns + DAY_NS;

	if (dates->created_ns < 0 || dates->created_ns > latest_ns)
		dates->created_ns = 0;
	if (dates->changed_ns < dates->created_ns || dates->changed_ns > latest_ns)
		dates->changed_ns = 0;
	if (dates->revision < 0)
		dates->revision = 0;
}

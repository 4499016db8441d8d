/*
 * Checks the header lines with which a file begins.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/mail_kind.h"

#include <strings.h>

#include "base/basic/ascii.h"

#define FROM "From "
#define FROM_LINE_MAX 1000 /* longer lines are text */
/* The date in the patches of git, see git-format-patch(1). */
#define GIT_DATE "Mon Sep 17 00:00:00 2001"
#define GIT_HASH_SIZE 40

enum { HAS_FROM = 1, HAS_DATE = 2, HAS_TRACE = 4, HAS_SUBJECT = 8 };

static const struct {
	const char *name;
	unsigned has;
} fields[] = {
	{"From", HAS_FROM},	     {"Date", HAS_DATE},       {"Message-ID", HAS_TRACE},
	{"MIME-Version", HAS_TRACE}, {"Received", HAS_TRACE},  {"Return-Path", HAS_TRACE},
	{"Delivered-To", HAS_TRACE}, {"Subject", HAS_SUBJECT},
};

static bool is_alnum(char c)
{
	return ascii_is_letter(c) || ascii_is_digit(c);
}

/* ---- The line before a message in a mailbox ---- */

/* Is there a time such as 9:30 or 09:30:00 at this colon? */
static bool is_time(struct bytes line, size_t colon)
{
	return colon > 0 && colon + 2 < line.size && ascii_is_digit(line.data[colon - 1]) &&
	       ascii_is_digit(line.data[colon + 1]) && ascii_is_digit(line.data[colon + 2]);
}

/* Is there a month before the time, with a day after it: "Jan  1 "? */
static bool has_month(struct bytes line)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

	for (size_t at = 0; at + 5 < line.size; at++)
		for (size_t i = 0; i < sizeof months - 1 && line.data[at] == ' '; i += 3)
			if (memcmp(line.data + at + 1, months + i, 3) == 0 &&
			    line.data[at + 4] == ' ')
				return true;
	return false;
}

/* Is there a year of four digits after the time? A zone may come before or after it. */
static bool has_year(struct bytes text)
{
	for (size_t at = 0; at + 5 <= text.size; at++)
		if (text.data[at] == ' ' &&
		    (text.data[at + 1] == '1' || text.data[at + 1] == '2') &&
		    ascii_is_digit(text.data[at + 2]) && ascii_is_digit(text.data[at + 3]) &&
		    ascii_is_digit(text.data[at + 4]) &&
		    (at + 5 == text.size || text.data[at + 5] == ' '))
			return true;
	return false;
}

bool mail_is_from_line(struct bytes line)
{
	if (line.size < sizeof FROM - 1 || line.size > FROM_LINE_MAX ||
	    memcmp(line.data, FROM, sizeof FROM - 1) != 0)
		return false;
	for (size_t at = sizeof FROM - 1; at < line.size; at++)
		if (line.data[at] == ':' && is_time(line, at))
			return has_month((struct bytes){line.data, at}) &&
			       has_year(bytes_after(line, at + 3));
	return false;
}

static bool is_from_git(struct bytes line)
{
	const size_t at = sizeof FROM - 1 + GIT_HASH_SIZE + 1;

	return line.size == at + sizeof GIT_DATE - 1 &&
	       memcmp(line.data + at, GIT_DATE, sizeof GIT_DATE - 1) == 0;
}

/* ---- Headers ---- */

/* Take the next line, without its end. False if its end is missing. */
static bool take_line(struct bytes *rest, struct bytes *line)
{
	const char *end = rest->size == 0 ? NULL : memchr(rest->data, '\n', rest->size);

	*line = *rest;
	if (end == NULL)
		return false;
	line->size = (size_t)(end - rest->data);
	*rest = bytes_after(*rest, line->size + 1);
	if (line->size > 0 && line->data[line->size - 1] == '\r')
		line->size--;
	return true;
}

/* Return the size of the field's name in a header line, or 0 if it is another line. */
static size_t field_name_size(struct bytes line)
{
	size_t size = 0;

	while (size < line.size && (is_alnum(line.data[size]) || line.data[size] == '-' ||
				    line.data[size] == '_' || line.data[size] == '.'))
		size++;
	return size < line.size && line.data[size] == ':' ? size : 0;
}

static unsigned field_of(struct bytes line, size_t name_size)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (strlen(fields[i].name) == name_size &&
		    strncasecmp(fields[i].name, line.data, name_size) == 0)
			return fields[i].has;
	return 0;
}

/* Return which fields the headers have, or 0 if there is another line before the empty line. */
static unsigned find_fields(struct bytes rest)
{
	struct bytes line;
	unsigned has = 0;

	for (bool is_first = true; take_line(&rest, &line) && line.size > 0; is_first = false) {
		size_t name_size = field_name_size(line);
		if (memchr(line.data, '\0', line.size) != NULL)
			return 0;
		if (!is_first && (line.data[0] == ' ' || line.data[0] == '\t'))
			continue;
		if (name_size == 0)
			return 0;
		has |= field_of(line, name_size);
	}
	return has;
}

enum mail_kind mail_kind(struct bytes head)
{
	const unsigned needed = HAS_FROM | HAS_DATE | HAS_TRACE;
	struct bytes line;

	if (head.size == 0 || !is_alnum(head.data[0]))
		return MAIL_NONE;
	if (head.size < sizeof FROM - 1 || memcmp(head.data, FROM, sizeof FROM - 1) != 0)
		return (find_fields(head) & needed) == needed ? MAIL_MESSAGE : MAIL_NONE;
	return take_line(&head, &line) && mail_is_from_line(line) && !is_from_git(line) &&
			       find_fields(head) != 0
		       ? MAIL_BOX
		       : MAIL_NONE;
}

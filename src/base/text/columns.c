/*
 * Counts the terminal columns of characters with libunistring, and shortens texts without cutting
 * numbers, escapes or characters.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/columns.h"

#include <stdbool.h>
#include <uniwidth.h>

#include "base/text/escape.h"

/* Return 2 for a wide character, and 0 for an accent on the previous character. */
static size_t character_columns(uint32_t code)
{
	int columns = uc_width(code, "UTF-8");

	return columns < 0 ? 1 : (size_t)columns;
}

/*
 * Return the size of the character at `at`, and its columns. A byte that is not UTF-8 is one
 * character.
 */
static size_t character_at(struct bytes text, size_t at, size_t *columns)
{
	struct bytes rest = {text.data + at, text.size - at};
	size_t size = utf8_length(rest);

	*columns = size == 0
			   ? 1
			   : character_columns(code_point((const unsigned char *)rest.data, size));
	return size == 0 ? 1 : size;
}

/* Return the size of "\x1b[...m" at `at`, or 0. */
static size_t colour_at(struct bytes text, size_t at)
{
	size_t end = at + 2;

	if (end > text.size || text.data[at] != '\x1b' || text.data[at + 1] != '[')
		return 0;
	while (end < text.size && text.data[end] != 'm')
		end++;
	return end < text.size ? end + 1 - at : 0;
}

size_t text_columns(struct bytes text)
{
	size_t sum = 0, columns, size;

	for (size_t at = 0; at < text.size; at += size) {
		size = colour_at(text, at);
		if (size > 0)
			continue;
		size = character_at(text, at, &columns);
		sum += columns;
	}
	return sum;
}

/* ---- Cutting ---- */

static bool is_digit(struct bytes text, size_t at)
{
	return at < text.size && text.data[at] >= '0' && text.data[at] <= '9';
}

/* Return the size of a number such as "7", "1.25" or "1,234,567" at `at`, or 0. */
static size_t number_at(struct bytes text, size_t at)
{
	size_t end = at;

	while (is_digit(text, end) ||
	       (end > at && end < text.size && (text.data[end] == '.' || text.data[end] == ',') &&
		is_digit(text, end + 1)))
		end++;
	return end - at;
}

/* Return the size of an escape of write_escaped ("\\", "\n" or "\x1b") at `at`, or 0. */
static size_t escape_at(struct bytes text, size_t at)
{
	size_t size;

	if (text.data[at] != '\\')
		return 0;
	size = at + 1 < text.size && text.data[at + 1] == 'x' ? 4 : 2;
	return size > text.size - at ? text.size - at : size;
}

/*
 * Return the size of a unit that must not be cut: a number, an escape, or a character with its
 * accents.
 */
static size_t unit_at(struct bytes text, size_t at, size_t *columns)
{
	size_t size = number_at(text, at), more, more_columns;

	if (size == 0)
		size = escape_at(text, at);
	*columns = size;
	if (size > 0)
		return size;
	size = character_at(text, at, columns);
	while (at + size < text.size) {
		more = character_at(text, at + size, &more_columns);
		if (more_columns > 0)
			break;
		size += more;
	}
	return size;
}

struct text_ends text_shorten(struct bytes text, size_t columns)
{
	size_t left = text_columns(text), room, used = 0, at = 0, width, size;
	struct text_ends ends = {text.size, 0};

	if (left <= columns)
		return ends;
	room = columns < sizeof LEFT_OUT - 1 ? 0 : columns - (sizeof LEFT_OUT - 1);
	for (; at < text.size; at += size, used += width) {
		size = unit_at(text, at, &width);
		if (used + width > room / 3)
			break;
	}
	ends.head = at;
	left -= used;
	for (; at < text.size && left > room - used; at += size, left -= width)
		size = unit_at(text, at, &width);
	ends.tail = text.size - at;
	return ends;
}

/*
 * Counts the terminal columns of characters from Unicode ranges, and shortens texts between units
 * that must not be cut.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/columns.h"

#include <stdbool.h>

#include "base/text/escape.h"

struct range {
	uint32_t first, last;
};

static const struct range accents[] = {
	{0x0300, 0x036f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200d},
	{0x20d0, 0x20ff}, {0x3099, 0x309a}, {0xfe20, 0xfe2f},
};

/* What is not assigned between wide ranges counts as they do. */
static const struct range wide[] = {
	{0x1100, 0x115f},   {0x231a, 0x231b},	{0x2329, 0x232a},   {0x23e9, 0x23f3},
	{0x25fd, 0x25fe},   {0x2600, 0x27bf},	{0x2b1b, 0x2b1c},   {0x2b50, 0x2b55},
	{0x2e80, 0x303e},   {0x3040, 0x4dbf},	{0x4e00, 0xa4cf},   {0xa960, 0xa97f},
	{0xac00, 0xd7a3},   {0xf900, 0xfaff},	{0xfe10, 0xfe19},   {0xfe30, 0xfe6f},
	{0xff00, 0xff60},   {0xffe0, 0xffe6},	{0x16fe0, 0x18dff}, {0x1aff0, 0x1b2ff},
	{0x1f004, 0x1f004}, {0x1f0cf, 0x1f0cf}, {0x1f18e, 0x1f19a}, {0x1f1e6, 0x1f64f},
	{0x1f680, 0x1f6ff}, {0x1f7e0, 0x1f7f0}, {0x1f90c, 0x1f9ff}, {0x1fa70, 0x1faff},
	{0x20000, 0x3fffd},
};

/* Ranges are in order. */
static bool is_in(const struct range *ranges, size_t count, uint32_t code)
{
	for (size_t i = 0; i < count && code >= ranges[i].first; i++)
		if (code <= ranges[i].last)
			return true;
	return false;
}

unsigned character_columns(uint32_t code)
{
	if (code < accents[0].first)
		return 1;
	if (is_in(accents, sizeof accents / sizeof *accents, code))
		return 0;
	return is_in(wide, sizeof wide / sizeof *wide, code) ? 2 : 1;
}

/* A character at `at`: its size and its columns. What is not UTF-8 is a byte. */
static size_t character_at(struct bytes text, size_t at, size_t *columns)
{
	struct bytes rest = {text.data + at, text.size - at};
	size_t size = utf8_length(rest);

	*columns = size == 0
			   ? 1
			   : character_columns(code_point((const unsigned char *)rest.data, size));
	return size == 0 ? 1 : size;
}

/* The size of "\x1b[...m" at `at`, or 0. */
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

/* "7", "1.25" or "1,234,567" */
static size_t number_at(struct bytes text, size_t at)
{
	size_t end = at;

	while (is_digit(text, end) ||
	       (end > at && end < text.size && (text.data[end] == '.' || text.data[end] == ',') &&
		is_digit(text, end + 1)))
		end++;
	return end - at;
}

/* "\\", "\n" or "\x1b" as write_escaped writes them */
static size_t escape_at(struct bytes text, size_t at)
{
	size_t size;

	if (text.data[at] != '\\')
		return 0;
	size = at + 1 < text.size && text.data[at + 1] == 'x' ? 4 : 2;
	return size > text.size - at ? text.size - at : size;
}

/* What is not to be cut: a number, an escape, or a character with its accents. */
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

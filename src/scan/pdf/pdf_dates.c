/*
 * Finds the dates of a PDF. In an updated PDF the last trailer and the last object of a number count.
 * SPDX-License-Identifier: MIT
 */
#include "scan/pdf/pdf_dates.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/basic/ascii.h"

#define DIGITS_MAX 10
#define OBJECT_NAME_MAX (2 * DIGITS_MAX + sizeof "  obj")

/* The bytes after a text, up to the end; NULL: it does not occur. */
static struct bytes after(struct bytes bytes, const char *text)
{
	size_t size = strlen(text);
	const char *found = bytes.size < size ? NULL : memmem(bytes.data, bytes.size, text, size);

	return found == NULL ? (struct bytes){NULL, 0}
			     : (struct bytes){found + size,
					      bytes.size - (size_t)(found - bytes.data) - size};
}

static void skip(struct bytes *bytes, size_t size)
{
	bytes->data += size;
	bytes->size -= size;
}

static void skip_blanks(struct bytes *bytes)
{
	while (bytes->size > 0 && memchr(" \t\r\n\f", bytes->data[0], 5) != NULL)
		skip(bytes, 1);
}

/* ---- References ---- */

/* The name of an object, such as "12 0 obj". */
struct object_name {
	char text[OBJECT_NAME_MAX];
};

static bool take_number(struct bytes *bytes, char digits[DIGITS_MAX + 1])
{
	size_t size = 0;

	while (size < bytes->size && size < DIGITS_MAX && ascii_is_digit(bytes->data[size])) {
		digits[size] = bytes->data[size];
		size++;
	}
	digits[size] = '\0';
	skip(bytes, size);
	skip_blanks(bytes);
	return size > 0;
}

/* Find the last reference with this key, such as "/Info 12 0 R". */
static bool find_reference(struct bytes bytes, const char *key, struct object_name *object)
{
	bool is_found = false;

	for (struct bytes at = bytes; (at = after(at, key)).data != NULL;) {
		char number[DIGITS_MAX + 1], generation[DIGITS_MAX + 1];
		struct bytes value = at;
		skip_blanks(&value);
		if (!take_number(&value, number) || !take_number(&value, generation) ||
		    value.size == 0 || value.data[0] != 'R')
			continue;
		snprintf(object->text, sizeof object->text, "%s %s obj", number, generation);
		is_found = true;
	}
	return is_found;
}

static bool find_last_reference(const struct bytes ends[2], const char *key,
				struct object_name *object)
{
	return find_reference(ends[1], key, object) || find_reference(ends[0], key, object);
}

/* The bytes of the last object with this name. */
static struct bytes find_object(struct bytes bytes, const struct object_name *object)
{
	struct bytes last = {NULL, 0}, end;
	size_t size = strlen(object->text);

	for (struct bytes at = bytes; (at = after(at, object->text)).data != NULL;)
		if (at.data - size == bytes.data || !ascii_is_digit(at.data[-(ptrdiff_t)size - 1]))
			last = at;
	end = last.data == NULL ? last : after(last, "endobj");
	if (end.data != NULL)
		last.size = (size_t)(end.data - last.data);
	return last;
}

static struct bytes find_last_object(const struct bytes ends[2], const char *key,
				     struct bytes within)
{
	struct object_name object;
	struct bytes found = {NULL, 0};

	if (within.data == NULL ? find_last_reference(ends, key, &object)
				: find_reference(within, key, &object)) {
		found = find_object(ends[1], &object);
		if (found.data == NULL)
			found = find_object(ends[0], &object);
	}
	return found;
}

static bool is_encrypted(struct bytes bytes)
{
	for (struct bytes at = bytes; (at = after(at, "/Encrypt")).data != NULL;) {
		struct bytes value = at;
		skip_blanks(&value);
		if (value.size > 0 && (ascii_is_digit(value.data[0]) || value.data[0] == '<'))
			return true;
	}
	return false;
}

/* ---- Dates ---- */

/* The time in parentheses after a key of a dictionary, or in the object after it; 0: none. */
static int64_t time_of(const struct bytes ends[2], struct bytes dictionary, const char *key)
{
	struct bytes value = after(dictionary, key);

	skip_blanks(&value);
	if (value.size > 0 && ascii_is_digit(value.data[0])) {
		value = find_last_object(ends, key, dictionary);
		skip_blanks(&value);
	}
	if (value.size == 0 || value.data[0] != '(')
		return 0;
	skip(&value, 1);
	return document_time_parse(value);
}

/* The time of a property in XMP, which is an attribute or an element; 0: none. */
static int64_t property_of(struct bytes metadata, const char *name)
{
	struct bytes value = after(metadata, name);

	while (value.size > 0 && memchr("=\"'> \t\r\n", value.data[0], 8) != NULL)
		skip(&value, 1);
	return document_time_parse(value);
}

static int64_t later(int64_t x_ns, int64_t y_ns)
{
	return x_ns > y_ns ? x_ns : y_ns;
}

void pdf_dates_find(struct bytes head, struct bytes tail, struct document_dates *dates)
{
	const struct bytes ends[2] = {head, tail}, nothing = {NULL, 0};
	struct bytes information, catalog, metadata = nothing;

	*dates = (struct document_dates){.revision = 0};
	if (head.size < 5 || memcmp(head.data, "%PDF-", 5) != 0 || is_encrypted(head) ||
	    is_encrypted(tail))
		return;
	information = find_last_object(ends, "/Info", nothing);
	catalog = find_last_object(ends, "/Root", nothing);
	if (catalog.data != NULL)
		metadata = find_last_object(ends, "/Metadata", catalog);
	dates->created_ns = later(time_of(ends, information, "/CreationDate"),
				  property_of(metadata, "xmp:CreateDate"));
	dates->changed_ns = later(time_of(ends, information, "/ModDate"),
				  property_of(metadata, "xmp:ModifyDate"));
	if (dates->changed_ns == 0)
		dates->changed_ns = dates->created_ns;
}

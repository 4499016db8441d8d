/*
 * Reading JSON: one function for each kind of value.
 * SPDX-License-Identifier: MIT
 */
#include "base/json_reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/escape.h"

#define DEPTH_MAX 64

struct reader {
	const char *at, *end, *begin, *what;
	struct arena *arena;
	struct simhash_error *error;
	unsigned depth;
};

static int fail(const struct reader *reader, const char *expected)
{
	unsigned long line = 1;

	for (const char *at = reader->begin; at < reader->at; at++)
		line += *at == '\n';
	return error_set(reader->error, SIMHASH_E_SYNTAX, "%s, line %lu: expected %s", reader->what,
			 line, expected);
}

static void skip_space(struct reader *reader)
{
	while (reader->at < reader->end && strchr(" \t\r\n", *reader->at) != NULL &&
	       *reader->at != '\0')
		reader->at++;
}

static bool takes(struct reader *reader, char c)
{
	skip_space(reader);
	if (reader->at == reader->end || *reader->at != c)
		return false;
	reader->at++;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Four digits; -1 where they are none. */
static int32_t read_unit(struct reader *reader)
{
	int32_t unit = 0;

	if (reader->end - reader->at < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int digit = hex_digit(reader->at[i]);
		if (digit < 0)
			return -1;
		unit = unit * 16 + digit;
	}
	reader->at += 4;
	return unit;
}

static char *put_utf8(char *to, uint32_t code)
{
	if (code < 0x80) {
		*to++ = (char)code;
		return to;
	}
	if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
	} else {
		if (code < 0x10000) {
			*to++ = (char)(0xe0 | code >> 12);
		} else {
			*to++ = (char)(0xf0 | code >> 18);
			*to++ = (char)(0x80 | (code >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (code >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (code & 0x3f));
	return to;
}

/* What comes after \u, of which two may make one character. */
static int read_code(struct reader *reader, uint32_t *code)
{
	int32_t high = read_unit(reader), low;

	if (high < 0)
		return -1;
	*code = (uint32_t)high;
	if (high < 0xd800 || high > 0xdfff)
		return 0;
	if (high > 0xdbff || reader->end - reader->at < 2 || memcmp(reader->at, "\\u", 2) != 0)
		return -1;
	reader->at += 2;
	low = read_unit(reader);
	if (low < 0xdc00 || low > 0xdfff)
		return -1;
	*code = 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (uint32_t)(low - 0xdc00);
	return 0;
}

/* After a backslash. */
static int read_escape(struct reader *reader, char **to)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	uint32_t code;
	const char *name;

	if (reader->at == reader->end)
		return -1;
	name = *reader->at == '\0' ? NULL : strchr(names, *reader->at);
	if (name != NULL) {
		reader->at++;
		*(*to)++ = values[name - names];
		return 0;
	}
	if (*reader->at++ != 'u' || read_code(reader, &code) != 0)
		return -1;
	*to = put_utf8(*to, code);
	return 0;
}

/* After the quotation mark. What is read never is longer than what was written. */
static int read_string(struct reader *reader, struct bytes *text)
{
	size_t room = 0;
	char *to;

	for (const char *at = reader->at; at < reader->end && *at != '"'; at++, room++)
		if (*at == '\\' && at + 1 < reader->end)
			at++, room++;
	to = arena_take(reader->arena, room + 1);
	if (to == NULL)
		return error_set_memory(reader->error);
	text->data = to;
	while (reader->at < reader->end && *reader->at != '"') {
		size_t length =
			utf8_length((struct bytes){reader->at, (size_t)(reader->end - reader->at)});
		if (length == 0 || (unsigned char)*reader->at < 0x20)
			return fail(reader, "a string of UTF-8 without control characters");
		if (*reader->at == '\\') {
			reader->at++;
			if (read_escape(reader, &to) != 0)
				return fail(reader, "\\\", \\\\, \\/, \\b, \\f, \\n, \\r, \\t or "
						    "\\u and a character of UTF-16");
			continue;
		}
		memcpy(to, reader->at, length);
		to += length;
		reader->at += length;
	}
	if (reader->at == reader->end)
		return fail(reader, "the end of a string");
	reader->at++;
	*to = '\0';
	text->size = (size_t)(to - text->data);
	return 0;
}

static size_t count_digits(struct reader *reader)
{
	const char *begin = reader->at;

	while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
		reader->at++;
	return (size_t)(reader->at - begin);
}

static int read_number(struct reader *reader, struct json_value *value)
{
	const char *begin = reader->at;
	bool has_zero;

	if (*reader->at == '-')
		reader->at++;
	has_zero = reader->at < reader->end && *reader->at == '0';
	if (has_zero)
		reader->at++;
	else if (count_digits(reader) == 0)
		return fail(reader, "a value");
	if (reader->at < reader->end && *reader->at == '.') {
		reader->at++;
		if (count_digits(reader) == 0)
			return fail(reader, "digits after a point");
	}
	if (reader->at < reader->end && (*reader->at == 'e' || *reader->at == 'E')) {
		reader->at++;
		if (reader->at < reader->end && (*reader->at == '-' || *reader->at == '+'))
			reader->at++;
		if (count_digits(reader) == 0)
			return fail(reader, "digits of an exponent");
	}
	value->kind = JSON_NUMBER;
	value->text = (struct bytes){begin, (size_t)(reader->at - begin)};
	return 0;
}

static int read_value(struct reader *reader, struct json_value *value);

/* The items of an array or an object, up to its end. */
static int read_items(struct reader *reader, struct json_value *value, char end)
{
	const struct json_value **link = &value->items;

	if (++reader->depth > DEPTH_MAX)
		return fail(reader, "at most 64 values inside each other");
	value->kind = end == '}' ? JSON_OBJECT : JSON_ARRAY;
	if (takes(reader, end)) {
		reader->depth--;
		return 0;
	}
	do {
		struct json_value *item = arena_take(reader->arena, sizeof *item);
		if (item == NULL)
			return error_set_memory(reader->error);
		*item = (struct json_value){.kind = JSON_NULL};
		if (end == '}') {
			if (!takes(reader, '"'))
				return fail(reader, "the name of a member");
			if (read_string(reader, &item->name) != 0)
				return -1;
			if (!takes(reader, ':'))
				return fail(reader, "a colon");
		}
		if (read_value(reader, item) != 0)
			return -1;
		*link = item;
		link = &item->next;
	} while (takes(reader, ','));
	if (!takes(reader, end))
		return fail(reader, end == '}' ? "a comma or }" : "a comma or ]");
	reader->depth--;
	return 0;
}

static bool takes_word(struct reader *reader, const char *word)
{
	size_t size = strlen(word);

	if ((size_t)(reader->end - reader->at) < size || memcmp(reader->at, word, size) != 0)
		return false;
	reader->at += size;
	return true;
}

static int read_value(struct reader *reader, struct json_value *value)
{
	static const char *const words[] = {"null", "false", "true"};

	skip_space(reader);
	if (reader->at == reader->end)
		return fail(reader, "a value");
	if (takes(reader, '"')) {
		value->kind = JSON_STRING;
		return read_string(reader, &value->text);
	}
	if (takes(reader, '['))
		return read_items(reader, value, ']');
	if (takes(reader, '{'))
		return read_items(reader, value, '}');
	for (int i = 0; i < 3; i++)
		if (takes_word(reader, words[i])) {
			value->kind = (enum json_kind)i;
			return 0;
		}
	return read_number(reader, value);
}

int json_read(struct bytes text, const char *what, struct arena *arena,
	      const struct json_value **value, struct simhash_error *error)
{
	struct reader reader = {.at = text.data,
				.begin = text.data,
				.end = text.data + text.size,
				.what = what,
				.arena = arena,
				.error = error};
	struct json_value *top = arena_take(arena, sizeof *top);

	if (top == NULL)
		return error_set_memory(error);
	*top = (struct json_value){.kind = JSON_NULL};
	if (read_value(&reader, top) != 0)
		return -1;
	skip_space(&reader);
	if (reader.at != reader.end)
		return fail(&reader, "nothing after the value");
	*value = top;
	return 0;
}

const struct json_value *json_member(const struct json_value *object, const char *name)
{
	if (object == NULL || object->kind != JSON_OBJECT)
		return NULL;
	for (const struct json_value *item = object->items; item != NULL; item = item->next)
		if (bytes_compare(item->name, bytes_of(name)) == 0)
			return item;
	return NULL;
}

const char *json_text(const struct json_value *object, const char *name)
{
	const struct json_value *value = json_member(object, name);

	return value == NULL || value->kind != JSON_STRING ||
			       memchr(value->text.data, '\0', value->text.size) != NULL
		       ? NULL
		       : value->text.data;
}

int json_integer(const struct json_value *object, const char *name, int64_t *number)
{
	const struct json_value *value = json_member(object, name);
	char digits[24], *end;

	if (value == NULL || value->kind != JSON_NUMBER || value->text.size >= sizeof digits)
		return -1;
	memcpy(digits, value->text.data, value->text.size);
	digits[value->text.size] = '\0';
	errno = 0;
	*number = strtoll(digits, &end, 10);
	return errno == 0 && *end == '\0' ? 0 : -1;
}

int json_hex(struct bytes text, uint8_t *bytes, size_t size)
{
	if (text.size != 2 * size)
		return -1;
	for (size_t i = 0; i < size; i++) {
		int high = hex_digit(text.data[2 * i]), low = hex_digit(text.data[2 * i + 1]);
		if (high < 0 || low < 0)
			return -1;
		bytes[i] = (uint8_t)(high * 16 + low);
	}
	return 0;
}

const char *json_bytes(const struct json_value *object, const char *name, struct arena *arena)
{
	char hex_name[32];
	const char *hex;
	uint8_t *bytes;
	size_t size;

	snprintf(hex_name, sizeof hex_name, "%s_hex", name);
	hex = json_text(object, hex_name);
	if (hex == NULL)
		return json_text(object, name);
	size = strlen(hex) / 2;
	bytes = arena_take(arena, size + 1);
	if (bytes == NULL || json_hex(bytes_of(hex), bytes, size) != 0 ||
	    memchr(bytes, 0, size) != NULL)
		return NULL;
	bytes[size] = 0;
	return (const char *)bytes;
}

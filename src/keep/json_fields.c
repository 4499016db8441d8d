/*
 * Reads fields of JSON objects with jansson and checks their types.
 * SPDX-License-Identifier: MIT
 */
#include "keep/json_fields.h"

#include <stdio.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "base/basic/error.h"

json_t *fields_read(struct bytes text, const char *what, size_t lines_before,
		    struct simhash_error *error)
{
	json_error_t why;
	json_t *top = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, &why);

	if (top != NULL)
		return top;
	if (json_error_code(&why) == json_error_out_of_memory)
		error_set_memory(error);
	else
		error_set(error, SIMHASH_E_SYNTAX, "%s, line %zu: expected JSON: %s", what,
			  lines_before + (size_t)why.line, why.text);
	return NULL;
}

const char *field_text(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

int field_integer(const json_t *object, const char *name, int64_t *number)
{
	const json_t *value = json_object_get(object, name);

	if (!json_is_integer(value))
		return -1;
	*number = json_integer_value(value);
	return 0;
}

static int read_hex(const char *text, uint8_t *bytes, size_t size)
{
	if (text == NULL || strlen(text) != 2 * size)
		return -1;
	for (size_t i = 0; i < size; i++) {
		int byte = hex_byte(text + 2 * i);
		if (byte < 0)
			return -1;
		bytes[i] = (uint8_t)byte;
	}
	return 0;
}

int field_hex(const json_t *object, const char *name, uint8_t *bytes, size_t size)
{
	return read_hex(field_text(object, name), bytes, size);
}

const char *field_bytes(const json_t *object, const char *name, struct arena *arena)
{
	const char *text = field_text(object, name), *hex;
	char hex_name[32];
	size_t size;
	uint8_t *bytes;

	snprintf(hex_name, sizeof hex_name, "%s_hex", name);
	hex = field_text(object, hex_name);
	if (hex == NULL && text == NULL)
		return NULL;
	size = hex != NULL ? strlen(hex) / 2 : strlen(text);
	bytes = arena_take(arena, size + 1);
	if (bytes == NULL)
		return NULL;
	if (hex == NULL)
		memcpy(bytes, text, size);
	else if (read_hex(hex, bytes, size) != 0 || memchr(bytes, 0, size) != NULL)
		return NULL;
	bytes[size] = 0;
	return (const char *)bytes;
}

const char *field_unknown(const json_t *object, const char *const *known, size_t count)
{
	for (void *at = json_object_iter((json_t *)(uintptr_t)object); at != NULL;
	     at = json_object_iter_next((json_t *)(uintptr_t)object, at)) {
		const char *name = json_object_iter_key(at);
		size_t i = 0;
		while (i < count && strcmp(known[i], name) != 0)
			i++;
		if (i == count)
			return name;
	}
	return NULL;
}

/*
 * Reading JSON (RFC 8259) into a tree of values, all in an arena.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_JSON_READER_H
#define SIMHASH_BASE_JSON_READER_H

#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "simhash.h"

enum json_kind {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_ARRAY,
	JSON_OBJECT
};

struct json_value {
	enum json_kind kind;
	struct bytes
		text; /* of a string in UTF-8, which may hold zeros; of a number as it is written */
	struct bytes name;		/* of a member of an object */
	const struct json_value *items; /* the first of an array or an object */
	const struct json_value *next;	/* after this one, in the same array or object */
};

/*
 * Read one value, which is all of `text` but white space; its values are valid as long as the arena
 * and `text`. `what` names the text for errors: SIMHASH_E_SYNTAX with the line, SIMHASH_E_MEMORY.
 */
int json_read(struct bytes text, const char *what, struct arena *arena,
	      const struct json_value **value, struct simhash_error *error);

/* A member of an object by its name; NULL where there is none, or `object` is none. */
const struct json_value *json_member(const struct json_value *object, const char *name);

/* The text of a member that is a string without zeros, else NULL. Ended by a zero. */
const char *json_text(const struct json_value *object, const char *name);

/* A member that is an integer of 64 bits. -1 where it is none. */
int json_integer(const struct json_value *object, const char *name, int64_t *number);

/*
 * The bytes of a member, which is a string, or of NAME_hex, which has them in hexadecimal where
 * they are not UTF-8: as write_json_field writes them. Without zeros and ended by one; NULL
 * where neither is there.
 */
const char *json_bytes(const struct json_value *object, const char *name, struct arena *arena);

/* The value of 2 * size hexadecimal digits, or -1. */
int json_hex(struct bytes text, uint8_t *bytes, size_t size);

#endif

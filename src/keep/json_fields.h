/*
 * Reads JSON that a person may have edited: a field with the wrong type counts as missing.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_KEEP_JSON_FIELDS_H
#define SIMHASH_KEEP_JSON_FIELDS_H

#include <jansson.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "base/data/arena.h"
#include "simhash.h"

/*
 * Read an object or an array, which must be all of `text` except for white space. The caller passes
 * it to json_decref. NULL if it is neither, is not UTF-8, has a zero byte in a string, or has two
 * members with the same name. The error contains the place: `what`, and the line, counted after
 * `lines_before` other lines.
 */
json_t *fields_read(struct bytes text, const char *what, size_t lines_before,
		    struct simhash_error *error);

/* The text of a member that is a string; otherwise NULL. It is valid as long as the object. */
const char *field_text(const json_t *object, const char *name);

/* The value of a member that is an integer of 64 bits; otherwise -1. */
int field_integer(const json_t *object, const char *name, int64_t *number);

/*
 * The bytes of a string member, or of the member NAME_hex, which has them in hexadecimal if they
 * are not UTF-8; see write_json_field. They are in the arena with a terminating zero. NULL if both
 * members are missing.
 */
const char *field_bytes(const json_t *object, const char *name, struct arena *arena);

/* The bytes of a member with 2 * size hexadecimal digits; otherwise -1. */
int field_hex(const json_t *object, const char *name, uint8_t *bytes, size_t size);

/* The name of a member that is not in `known`, or NULL. It is valid as long as the object. */
const char *field_unknown(const json_t *object, const char *const *known, size_t count);

#endif

/*
 * Reads JSON that a person may have edited: each field has the right type, or it counts as missing.
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
 * Read an object or an array, which is all of `text` but white space, for the caller to give to
 * json_decref. NULL: it is none, is not UTF-8, has a zero byte in a string, or names a member
 * twice; the error names the place, which is `what` and the line after `lines_before` others.
 */
json_t *fields_read(struct bytes text, const char *what, size_t lines_before,
		    struct simhash_error *error);

/* The text of a member that is a string, else NULL. It lives as long as the object. */
const char *field_text(const json_t *object, const char *name);

/* A member that is an integer of 64 bits. -1 where it is none. */
int field_integer(const json_t *object, const char *name, int64_t *number);

/*
 * The bytes of a member, which is a string, or of NAME_hex, which has them in hexadecimal where
 * they are not UTF-8: as write_json_field writes them. In the arena and ended by a zero; NULL where
 * neither is there.
 */
const char *field_bytes(const json_t *object, const char *name, struct arena *arena);

/* A member that has 2 * size hexadecimal digits. -1 where it has not. */
int field_hex(const json_t *object, const char *name, uint8_t *bytes, size_t size);

/* The name of a member that is not one of these, or NULL. It lives as long as the object. */
const char *field_unknown(const json_t *object, const char *const *known, size_t count);

#endif

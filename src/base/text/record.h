/*
 * Writes records in any format from one table of their fields. The table has the columns of CSV,
 * the members of JSON objects, and the texts between zero bytes, each in its order:
 *
 *     const struct field fields[] = {FIELD_WORD(IN_LISTS, "kind", animal->kind),
 *                                    FIELD_UNSIGNED(IN_LISTS, "legs", animal->legs),
 *                                    FIELD_TEXT(IN_ALL, "name", animal->name),
 *                                    FIELDS_END};
 *
 *     record_write(out, &style, fields);
 *
 * A field that has another place in another format has a row for each. An absent value (NO_NUMBER,
 * NAN, or a NULL pointer) is empty in CSV and between zero bytes, and JSON leaves the member out.
 * The caller checks the error state of the stream.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_RECORD_H
#define SIMHASH_BASE_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"

enum record_format {
	RECORD_NONE,	/* not records, for example text for people */
	RECORD_CSV,	/* RFC 4180 with CRLF */
	RECORD_HEADING, /* the names, as the first line of CSV */
	RECORD_JSON,	/* RFC 8259: objects in an array */
	RECORD_LINES,	/* one object on each line */
	RECORD_NULL,	/* texts, each terminated by a zero byte */
	RECORD_PAGE,	/* JSON objects in a page, with texts as people see them */
	RECORD_ROW	/* the same as arrays of values */
};

/* How records are written. */
struct record_style {
	enum record_format format;
	bool is_terminal; /* write no control byte of a text */
};

enum field_type {
	TYPE_TEXT,  /* any bytes */
	TYPE_WORD,  /* needs no quotes or escapes */
	TYPE_PLAIN, /* JSON without quotes: true, or an array */
	TYPE_SIGNED,
	TYPE_TIME, /* nanoseconds since 1970, written in seconds (RFC 3339) */
	TYPE_UNSIGNED,
	TYPE_ID,      /* 16 hexadecimal digits */
	TYPE_SHARE,   /* in millionths */
	TYPE_HEX,     /* bytes in hexadecimal; CSV has none of the types from here on */
	TYPE_TEXTS,   /* an array */
	TYPE_NUMBERS, /* an array */
	TYPE_OBJECT   /* with its members */
};

/* The formats that contain a field, and the form of an absent value. */
enum {
	IN_CSV = 1,
	IN_JSON = 2,
	IN_NULL = 4,
	IN_LISTS = IN_CSV | IN_JSON,
	IN_ALL = IN_CSV | IN_JSON | IN_NULL,
	OR_ZERO = 8,  /* 0 in CSV */
	OR_NULL = 16, /* null in JSON */
	IN_PAGE = 32
};

#define NO_NUMBER INT64_MIN
#define NO_TEXT ((struct bytes){NULL, 0})

struct field {
	const char *key;	/* ,"NAME": */
	unsigned char key_size; /* 0 ends a table */
	unsigned char type, in;
	union {
		struct bytes text;
		const char *word;
		int64_t number;
		uint64_t count;
		double share;
		struct {
			const char *const *items;
			size_t count;
		} texts;
		struct {
			const uint64_t *items;
			size_t count;
		} numbers;
		const struct field *object;
	} value;
};

/* clang-format off */
#define FIELD_OF(type, in, name, member, ...) \
	{",\"" name "\":", sizeof name + 3, type, in, {.member = __VA_ARGS__}}
#define FIELD_TEXT(in, name, bytes) FIELD_OF(TYPE_TEXT, in, name, text, bytes)
#define FIELD_WORD(in, name, text) FIELD_OF(TYPE_WORD, in, name, word, text)
#define FIELD_PLAIN(in, name, text) FIELD_OF(TYPE_PLAIN, in, name, word, text)
#define FIELD_SIGNED(in, name, integer) FIELD_OF(TYPE_SIGNED, in, name, number, integer)
#define FIELD_TIME(in, name, ns) FIELD_OF(TYPE_TIME, in, name, number, ns)
#define FIELD_UNSIGNED(in, name, integer) FIELD_OF(TYPE_UNSIGNED, in, name, count, integer)
#define FIELD_ID(in, name, id) FIELD_OF(TYPE_ID, in, name, count, id)
#define FIELD_SHARE(in, name, real) FIELD_OF(TYPE_SHARE, in, name, share, real)
#define FIELD_OBJECT(in, name, fields) FIELD_OF(TYPE_OBJECT, in, name, object, fields)
#define FIELD_HEX(in, name, bytes) FIELD_OF(TYPE_HEX, in, name, text, bytes)
#define FIELD_TEXTS(in, name, items, count) FIELD_OF(TYPE_TEXTS, in, name, texts, {items, count})
#define FIELD_NUMBERS(in, name, items, count) FIELD_OF(TYPE_NUMBERS, in, name, numbers, {items, count})
#define FIELDS_END {NULL, 0, 0, 0, {.word = NULL}}
/* clang-format on */

/*
 * Write a record. Texts in CSV are written byte for byte, after an apostrophe if a spreadsheet
 * would take them for a formula. In JSON, invalid bytes of a text that is not UTF-8 become U+FFFD,
 * and a member NAME_hex has all its bytes. CSV and texts between zero bytes are escaped on a
 * terminal. In a page all texts are escaped.
 */
void record_write(FILE *out, const struct record_style *style, const struct field *fields);

/* Write the members of a JSON object, or of an array of a page, without braces or brackets. */
void record_write_members(FILE *out, enum record_format format, const struct field *fields);

/* The texts around and between all records. NULL means none. */
struct frame {
	const char *begin, *end;
	const char *first, *last; /* only if there are records */
	const char *separator;
	void (*heading)(FILE *out); /* writes the first line of CSV; or NULL */
};

#define ARRAY_FRAME                                                                         \
	{                                                                                   \
		.begin = "[", .first = "\n", .separator = ",\n", .last = "\n", .end = "]\n" \
	}

/* Return the frame of a list of records with this heading. */
struct frame record_frame(enum record_format format, void (*heading)(FILE *out));

void frame_begin(FILE *out, const struct frame *frame);
void frame_next(FILE *out, const struct frame *frame, uint64_t number); /* counted from 0 */
void frame_end(FILE *out, const struct frame *frame, uint64_t count);

#endif

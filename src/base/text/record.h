/*
 * Records of any format, from one table of their fields. A table has the columns of CSV, the
 * members of objects of JSON and the texts between zero bytes, each in its order:
 *
 *     struct animal {
 *             struct bytes name;
 *             const char *kind;
 *             uint64_t legs;
 *     };
 *
 *     static const struct field fields[] = {RECORD_FIELD(IN_LISTS, struct animal, kind),
 *                                           RECORD_FIELD(IN_LISTS, struct animal, legs),
 *                                           RECORD_FIELD(IN_ALL, struct animal, name),
 *                                           FIELDS_END};
 *     const struct frame frame = record_frame(style.format, fields);
 *
 *     frame_begin(out, &frame);
 *     for (uint64_t i = 0; i < count; i++) {
 *             frame_next(out, &frame, i);
 *             record_write(out, &style, fields, &animals[i]);
 *     }
 *     frame_end(out, &frame, count);
 *
 * A field that is to be at another place in another format has a row for each. The type of the
 * member decides how it is written. A value that is absent (NO_NUMBER, NAN, or a NULL pointer) is
 * empty in CSV and between zero bytes, and JSON leaves the member out.
 *
 * The caller checks the error state of the stream.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_RECORD_H
#define SIMHASH_BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"

enum record_format {
	RECORD_NONE,  /* not of records: text for people, for example */
	RECORD_CSV,   /* RFC 4180 with CRLF */
	RECORD_JSON,  /* RFC 8259: objects in an array */
	RECORD_LINES, /* an object a line */
	RECORD_NULL   /* texts, each ended by a zero byte */
};

/* How records are written. */
struct record_style {
	enum record_format format;
	bool is_terminal; /* no control byte of a text may be written */
};

enum field_type {
	FIELD_TEXT,	  /* struct bytes, whatever they are */
	FIELD_WORD,	  /* const char *, which needs neither quotes nor escapes */
	FIELD_PLAIN,	  /* the same without the quotes of JSON: true, or an array */
	FIELD_SIGNED,	  /* int64_t */
	FIELD_UNSIGNED,	  /* uint64_t */
	FIELD_UNSIGNED32, /* uint32_t */
	FIELD_SHARE,	  /* double, in millionths */
	FIELD_SECONDS,	  /* double, in thousandths */
	FIELD_ID,	  /* uint64_t: 16 hexadecimal digits */
	FIELD_TIME,	  /* int64_t, nanoseconds since 1970: seconds by RFC 3339 */
	FIELD_OBJECT	  /* a struct with a table for it; in JSON alone */
};

/* The formats that have a field, and what they have in place of an absent value. */
enum {
	IN_CSV = 1,
	IN_JSON = 2,
	IN_NULL = 4,
	IN_LISTS = IN_CSV | IN_JSON,
	IN_ALL = IN_CSV | IN_JSON | IN_NULL,
	OR_ZERO = 8,  /* 0 in CSV */
	OR_NULL = 16, /* null in JSON */
};

/* The type of a size_t. */
#define FIELD_SIZE (sizeof(size_t) == sizeof(uint32_t) ? FIELD_UNSIGNED32 : FIELD_UNSIGNED)

#define NO_NUMBER INT64_MIN
#define NO_TEXT ((struct bytes){NULL, 0})

struct field {
	const char *key;	/* ,"NAME": */
	unsigned char key_size; /* 0 ends a table */
	unsigned char type, in;
	unsigned short offset;
	const struct field *fields; /* of an object */
};

#define RECORD_FIELD_AS(type, in, object, member, name)                                     \
	{                                                                                   \
		",\"" name "\":", sizeof name + 3, type, in, offsetof(object, member), NULL \
	}

/* Of a member whose type says how it is written. */
#define RECORD_FIELD_NAMED(in, object, member, name) \
	RECORD_FIELD_AS(_Generic(((const object *)NULL)->member,          \
			  struct bytes: FIELD_TEXT,                \
			  const char *: FIELD_WORD,                \
			  int64_t: FIELD_SIGNED,                   \
			  uint64_t: FIELD_UNSIGNED,                \
			  uint32_t: FIELD_UNSIGNED32,              \
			  double: FIELD_SHARE),                    \
		 in, object, member, name)

#define RECORD_FIELD(in, object, member) RECORD_FIELD_NAMED(in, object, member, #member)

#define RECORD_OBJECT(object, member, name, fields)                       \
	{                                                                 \
		",\"" name "\":", sizeof name + 3, FIELD_OBJECT, IN_JSON, \
			offsetof(object, member), fields                  \
	}

#define FIELDS_END                     \
	{                              \
		NULL, 0, 0, 0, 0, NULL \
	}

/*
 * Texts in CSV are written byte for byte, after an apostrophe where a spreadsheet would take one for
 * a formula. Texts in JSON that are not UTF-8 have U+FFFD in place of what is not, and a member
 * NAME_hex with all their bytes. To a terminal, CSV and texts between zero bytes are escaped.
 */
void record_write(FILE *out, const struct record_style *style, const struct field *fields,
		  const void *object);

/* Of an object of JSON: its members, without braces. */
void record_write_members(FILE *out, const struct field *fields, const void *object);

/* What stands around all records, and between them; NULL: nothing. */
struct frame {
	const char *begin, *end;
	const char *first, *last; /* unless there are none */
	const char *separator;
	const struct field *heading; /* whose names are the first line of CSV */
};

#define ARRAY_FRAME                                                                         \
	{                                                                                   \
		.begin = "[", .first = "\n", .separator = ",\n", .last = "\n", .end = "]\n" \
	}

/* Of a list of such records. */
struct frame record_frame(enum record_format format, const struct field *fields);

void frame_begin(FILE *out, const struct frame *frame);
void frame_next(FILE *out, const struct frame *frame, uint64_t number); /* from 0 */
void frame_end(FILE *out, const struct frame *frame, uint64_t count);

#endif

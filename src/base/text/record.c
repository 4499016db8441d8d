/*
 * Fields of records, one after another, as each format has them.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/record.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "base/basic/clock.h"
#include "base/text/escape.h"
#include "base/text/json.h"
#include "base/text/line_buffer.h"

static const void *value_of(const struct field *field, const void *object)
{
	return (const char *)object + field->offset;
}

static const char *word_of(const void *value)
{
	return *(const char *const *)value;
}

static struct bytes text_of(const void *value)
{
	return *(const struct bytes *)value;
}

static bool is_absent(enum field_type type, const void *value)
{
	switch (type) {
	case FIELD_TEXT:
		return text_of(value).data == NULL;
	case FIELD_WORD:
	case FIELD_PLAIN:
		return word_of(value) == NULL;
	case FIELD_SIGNED:
	case FIELD_TIME:
		return *(const int64_t *)value == NO_NUMBER;
	case FIELD_SHARE:
	case FIELD_SECONDS:
		return isnan(*(const double *)value);
	case FIELD_UNSIGNED:
	case FIELD_UNSIGNED32:
	case FIELD_ID:
	case FIELD_OBJECT:
	default:
		return false;
	}
}

static void put_time(struct line_buffer *line, int64_t time_ns)
{
	time_t seconds = (time_t)(time_ns / NS_PER_S - (time_ns % NS_PER_S < 0));
	struct tm utc;
	char text[40] = "";

	if (gmtime_r(&seconds, &utc) != NULL)
		strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
	line_put(line, text);
}

/* A value that is the same in all formats. */
static void put_plain(struct line_buffer *line, enum field_type type, const void *value)
{
	char text[64];

	switch (type) {
	case FIELD_WORD:
	case FIELD_PLAIN:
		line_put(line, word_of(value));
		break;
	case FIELD_SIGNED:
		line_put_signed(line, *(const int64_t *)value);
		break;
	case FIELD_UNSIGNED:
		line_put_unsigned(line, *(const uint64_t *)value);
		break;
	case FIELD_UNSIGNED32:
		line_put_unsigned(line, *(const uint32_t *)value);
		break;
	case FIELD_SHARE:
		line_put_millionths(line, *(const double *)value);
		break;
	case FIELD_SECONDS:
		snprintf(text, sizeof text, "%.3f", *(const double *)value);
		line_put(line, text);
		break;
	case FIELD_ID:
		snprintf(text, sizeof text, "%016" PRIx64, *(const uint64_t *)value);
		line_put(line, text);
		break;
	case FIELD_TIME:
		put_time(line, *(const int64_t *)value);
		break;
	case FIELD_TEXT:
	case FIELD_OBJECT:
	default:
		break;
	}
}

/* ---- CSV ---- */

static bool needs_quotes(struct bytes text)
{
	static const char special[] = {',', '"', '\r', '\n'};

	for (size_t i = 0; i < sizeof special; i++)
		if (memchr(text.data, special[i], text.size) != NULL)
			return true;
	return false;
}

/* A spreadsheet computes what begins so. A first apostrophe has another one before it, so one can
 * always be taken away. */
static bool needs_apostrophe(struct bytes text)
{
	return text.size > 0 && memchr("=+-@\t\r\n'", text.data[0], 8) != NULL;
}

static void put_csv_bytes(struct line_buffer *line, struct bytes text, bool has_apostrophe)
{
	bool has_quotes = needs_quotes(text);
	const char *quote;

	line_put(line, has_quotes ? "\"" : "");
	line_put(line, has_apostrophe ? "'" : "");
	while (has_quotes && (quote = memchr(text.data, '"', text.size)) != NULL) {
		size_t size = (size_t)(quote - text.data) + 1;
		line_put_bytes(line, (struct bytes){text.data, size});
		line_put(line, "\"");
		text = (struct bytes){text.data + size, text.size - size};
	}
	line_put_bytes(line, text);
	line_put(line, has_quotes ? "\"" : "");
}

/* On a terminal: quoted like a field, with no control byte left to act. */
static void put_csv_text(struct line_buffer *line, struct bytes text, bool is_terminal)
{
	size_t size;
	char *escaped;

	if (!is_terminal) {
		put_csv_bytes(line, text, needs_apostrophe(text));
		return;
	}
	escaped = escape_text(text, &size);
	if (escaped == NULL)
		line_put(line, "?"); /* no memory for a name of a few bytes */
	else
		put_csv_bytes(line, (struct bytes){escaped, size}, needs_apostrophe(text));
	free(escaped);
}

static void put_csv(struct line_buffer *line, bool is_terminal, const struct field *field,
		    const void *object)
{
	const char *separator = "";

	for (; field->key_size > 0; field++) {
		const void *value = value_of(field, object);
		if ((field->in & IN_CSV) == 0)
			continue;
		line_put(line, separator);
		separator = ",";
		if (is_absent(field->type, value))
			line_put(line, (field->in & OR_ZERO) != 0 ? "0" : "");
		else if (field->type == FIELD_TEXT)
			put_csv_text(line, text_of(value), is_terminal);
		else
			put_plain(line, field->type, value);
	}
	line_put(line, "\r\n");
}

static void put_heading(struct line_buffer *line, const struct field *field)
{
	const char *separator = "";

	for (; field->key_size > 0; field++)
		if ((field->in & IN_CSV) != 0) {
			line_put(line, separator);
			line_put_bytes(line, (struct bytes){field->key + 2, field->key_size - 4u});
			separator = ",";
		}
	line_put(line, "\r\n");
}

/* ---- JSON ---- */

static void put_json_text(struct line_buffer *line, const struct field *field, struct bytes text)
{
	if (line_put_json_string(line, text))
		return;
	line_put_bytes(line, (struct bytes){field->key, field->key_size - 2u});
	line_put(line, "_hex\":\"");
	line_put_hex(line, text);
	line_put(line, "\"");
}

static void put_members(struct line_buffer *line, const struct field *field, const void *object)
{
	size_t comma = 1; /* the first member has none */

	for (; field->key_size > 0; field++) {
		const void *value = value_of(field, object);
		bool is_quoted = field->type == FIELD_WORD || field->type == FIELD_ID ||
				 field->type == FIELD_TIME;
		bool is_null = is_absent(field->type, value);
		if ((field->in & IN_JSON) == 0 || (is_null && (field->in & OR_NULL) == 0))
			continue;
		line_put_bytes(line, (struct bytes){field->key + comma, field->key_size - comma});
		comma = 0;
		if (is_null) {
			line_put(line, "null");
		} else if (field->type == FIELD_TEXT) {
			put_json_text(line, field, text_of(value));
		} else if (field->type == FIELD_OBJECT) {
			line_put(line, "{");
			put_members(line, field->fields, value);
			line_put(line, "}");
		} else if (is_quoted) {
			line_put(line, "\"");
			put_plain(line, field->type, value);
			line_put(line, "\"");
		} else {
			put_plain(line, field->type, value);
		}
	}
}

void record_write_members(FILE *out, const struct field *fields, const void *object)
{
	struct line_buffer line = {.out = out};

	put_members(&line, fields, object);
	line_flush(&line);
}

/* ---- Between zero bytes ---- */

/* On a terminal it is only to look at: escaped, a line each. */
static void put_null(struct line_buffer *line, bool is_terminal, const struct field *field,
		     const void *object)
{
	for (; field->key_size > 0; field++) {
		struct bytes text;
		if ((field->in & IN_NULL) == 0)
			continue;
		text = text_of(value_of(field, object));
		if (text.data == NULL)
			text = bytes_of("");
		if (!is_terminal) {
			line_put_bytes(line, text);
			line_put_bytes(line, (struct bytes){"", 1});
			continue;
		}
		line_flush(line);
		write_escaped(line->out, text);
		line_put(line, "\n");
	}
}

/* ---- Records ---- */

void record_write(FILE *out, const struct record_style *style, const struct field *fields,
		  const void *object)
{
	struct line_buffer line = {.out = out};

	if (style->format == RECORD_CSV) {
		put_csv(&line, style->is_terminal, fields, object);
	} else if (style->format == RECORD_NULL) {
		put_null(&line, style->is_terminal, fields, object);
	} else {
		line_put(&line, "{");
		put_members(&line, fields, object);
		line_put(&line, style->format == RECORD_LINES ? "}\n" : "}");
	}
	line_flush(&line);
}

/* ---- What is around them ---- */

struct frame record_frame(enum record_format format, const struct field *fields)
{
	if (format == RECORD_JSON)
		return (struct frame)ARRAY_FRAME;
	return (struct frame){.heading = format == RECORD_CSV ? fields : NULL};
}

static void write_text(FILE *out, const char *text)
{
	if (text != NULL)
		fputs(text, out);
}

void frame_begin(FILE *out, const struct frame *frame)
{
	struct line_buffer line = {.out = out};

	write_text(out, frame->begin);
	if (frame->heading != NULL)
		put_heading(&line, frame->heading);
	line_flush(&line);
}

void frame_next(FILE *out, const struct frame *frame, uint64_t number)
{
	write_text(out, number == 0 ? frame->first : frame->separator);
}

void frame_end(FILE *out, const struct frame *frame, uint64_t count)
{
	if (count > 0)
		write_text(out, frame->last);
	write_text(out, frame->end);
}

/*
 * Writes the fields of records in each format: CSV, JSON, and texts terminated by zero bytes.
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

static bool is_absent(const struct field *field)
{
	if (field->type == TYPE_TEXT || field->type == TYPE_HEX)
		return field->value.text.data == NULL;
	if (field->type == TYPE_WORD || field->type == TYPE_PLAIN)
		return field->value.word == NULL;
	if (field->type == TYPE_SIGNED || field->type == TYPE_TIME)
		return field->value.number == NO_NUMBER;
	return field->type == TYPE_SHARE && isnan(field->value.share);
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

/* Write a value that is the same in all formats. */
static void put_plain(struct line_buffer *line, const struct field *field)
{
	char text[24];

	if (field->type == TYPE_SIGNED) {
		line_put_signed(line, field->value.number);
	} else if (field->type == TYPE_UNSIGNED) {
		line_put_unsigned(line, field->value.count);
	} else if (field->type == TYPE_SHARE) {
		line_put_millionths(line, field->value.share);
	} else if (field->type == TYPE_TIME) {
		put_time(line, field->value.number);
	} else if (field->type == TYPE_ID) {
		snprintf(text, sizeof text, "%016" PRIx64, field->value.count);
		line_put(line, text);
	} else if (field->type == TYPE_HEX) {
		line_put_hex(line, field->value.text);
	} else {
		line_put(line, field->value.word);
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

/*
 * Spreadsheets compute texts that begin like this. An initial apostrophe also gets another one, so
 * a reader can always remove one.
 */
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

/* On a terminal, quoted like a field, with all control bytes escaped. */
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
		line_put(line, "?"); /* no memory for a few bytes */
	else
		put_csv_bytes(line, (struct bytes){escaped, size}, needs_apostrophe(text));
	free(escaped);
}

static void put_csv(struct line_buffer *line, const struct record_style *style,
		    const struct field *field)
{
	const char *separator = "";

	for (; field->key_size > 0; field++) {
		if ((field->in & IN_CSV) == 0)
			continue;
		line_put(line, separator);
		separator = ",";
		if (style->format == RECORD_HEADING)
			line_put_bytes(line, (struct bytes){field->key + 2, field->key_size - 4u});
		else if (is_absent(field))
			line_put(line, (field->in & OR_ZERO) != 0 ? "0" : "");
		else if (field->type == TYPE_TEXT)
			put_csv_text(line, field->value.text, style->is_terminal);
		else
			put_plain(line, field);
	}
	line_put(line, "\r\n");
}

/* ---- JSON ---- */

static void put_members(struct line_buffer *line, enum record_format format,
			const struct field *field);

static void put_array(struct line_buffer *line, const struct field *field)
{
	bool is_texts = field->type == TYPE_TEXTS;
	size_t count = is_texts ? field->value.texts.count : field->value.numbers.count;

	line_put(line, "[");
	for (size_t i = 0; i < count; i++) {
		line_put(line, i == 0 ? "" : ",");
		if (is_texts)
			line_put_page_string(line, bytes_of(field->value.texts.items[i]), true);
		else
			line_put_unsigned(line, field->value.numbers.items[i]);
	}
	line_put(line, "]");
}

static void put_json_text(struct line_buffer *line, enum record_format format,
			  const struct field *field)
{
	if (format == RECORD_PAGE || format == RECORD_ROW) {
		line_put_page_string(line, field->value.text, true);
	} else if (!line_put_json_string(line, field->value.text)) {
		line_put_bytes(line, (struct bytes){field->key, field->key_size - 2u});
		line_put(line, "_hex\":\"");
		line_put_hex(line, field->value.text);
		line_put(line, "\"");
	}
}

static void put_json(struct line_buffer *line, enum record_format format, const struct field *field)
{
	bool is_quoted = field->type == TYPE_WORD || field->type == TYPE_ID ||
			 field->type == TYPE_TIME || field->type == TYPE_HEX;

	if (is_absent(field)) {
		line_put(line, "null");
	} else if (field->type == TYPE_OBJECT) {
		line_put(line, "{");
		put_members(line, format == RECORD_ROW ? RECORD_PAGE : format, field->value.object);
		line_put(line, "}");
	} else if (field->type == TYPE_TEXTS || field->type == TYPE_NUMBERS) {
		put_array(line, field);
	} else if (field->type == TYPE_TEXT) {
		put_json_text(line, format, field);
	} else {
		line_put(line, is_quoted ? "\"" : "");
		put_plain(line, field);
		line_put(line, is_quoted ? "\"" : "");
	}
}

static void put_members(struct line_buffer *line, enum record_format format,
			const struct field *field)
{
	unsigned in = format == RECORD_PAGE || format == RECORD_ROW ? IN_PAGE : IN_JSON;
	size_t comma = 1; /* the first member has no comma */

	for (; field->key_size > 0; field++) {
		size_t key_size = format == RECORD_ROW ? 1 : field->key_size;
		if ((field->in & in) == 0 || ((field->in & OR_NULL) == 0 && is_absent(field)))
			continue;
		line_put_bytes(line, (struct bytes){field->key + comma, key_size - comma});
		comma = 0;
		put_json(line, format, field);
	}
}

void record_write_members(FILE *out, enum record_format format, const struct field *fields)
{
	struct line_buffer line = {.out = out};

	put_members(&line, format, fields);
	line_flush(&line);
}

/* ---- Between zero bytes ---- */

/* On a terminal, for people: escaped, one text on each line. */
static void put_null(struct line_buffer *line, bool is_terminal, const struct field *field)
{
	for (; field->key_size > 0; field++) {
		if ((field->in & IN_NULL) == 0)
			continue;
		if (is_terminal) {
			line_flush(line);
			write_escaped(line->out, field->value.text);
		} else if (!is_absent(field)) {
			line_put_bytes(line, field->value.text);
		}
		line_put_bytes(line, (struct bytes){is_terminal ? "\n" : "", 1});
	}
}

/* ---- Records ---- */

void record_write(FILE *out, const struct record_style *style, const struct field *fields)
{
	struct line_buffer line = {.out = out};

	if (style->format == RECORD_CSV || style->format == RECORD_HEADING) {
		put_csv(&line, style, fields);
	} else if (style->format == RECORD_NULL) {
		put_null(&line, style->is_terminal, fields);
	} else {
		bool is_row = style->format == RECORD_ROW;
		line_put(&line, is_row ? "[" : "{");
		put_members(&line, style->format, fields);
		line_put(&line, is_row ? "]" : style->format == RECORD_LINES ? "}\n" : "}");
	}
	line_flush(&line);
}

/* ---- The frame around records ---- */

struct frame record_frame(enum record_format format, void (*heading)(FILE *out))
{
	if (format == RECORD_JSON)
		return (struct frame)ARRAY_FRAME;
	return (struct frame){.heading = format == RECORD_CSV ? heading : NULL};
}

static void write_text(FILE *out, const char *text)
{
	if (text != NULL)
		fputs(text, out);
}

void frame_begin(FILE *out, const struct frame *frame)
{
	write_text(out, frame->begin);
	if (frame->heading != NULL)
		frame->heading(out);
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

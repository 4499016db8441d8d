/*
 * CSV by RFC 4180: CRLF, fields quoted where they need it. Paths are written
 * byte for byte; only to a terminal they are escaped.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/formatter.h"

static void begin(FILE *out)
{
	fputs("match,distance,percent,size_a,size_b,path_a,path_b\r\n", out);
}

static void write_field(FILE *out, struct bytes field)
{
	bool needs_quotes = false;

	for (size_t i = 0; i < field.size; i++)
		needs_quotes = needs_quotes || memchr(",\"\r\n", field.data[i], 4) != NULL;
	if (!needs_quotes) {
		fwrite(field.data, 1, field.size, out);
		return;
	}
	fputc('"', out);
	for (size_t i = 0; i < field.size; i++) {
		if (field.data[i] == '"')
			fputc('"', out);
		fputc(field.data[i], out);
	}
	fputc('"', out);
}

/* On a terminal: quoted like a field, with no control byte left to act. */
static void write_escaped_field(FILE *out, struct bytes field)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (memory != NULL)
		write_escaped(memory, field);
	if (memory == NULL || fclose(memory) != 0)
		fputs("?", out); /* no memory for a name of a few bytes */
	else
		write_field(out, (struct bytes){text, size});
	free(text);
}

static void pair(FILE *out, const struct pair_line *line, uint64_t number, bool is_terminal)
{
	void (*write_path)(FILE *, struct bytes) = is_terminal ? write_escaped_field : write_field;

	(void)number;
	fprintf(out, "%s,%" PRIu64 ",%.6f,%" PRId64 ",%" PRId64 ",", pair_match(line),
		line->distance, pair_percent(line), line->size_a_bytes, line->size_b_bytes);
	write_path(out, line->path_a);
	fputc(',', out);
	write_path(out, line->path_b);
	fputs("\r\n", out);
}

static void end(FILE *out, uint64_t count)
{
	(void)out;
	(void)count;
}

const struct formatter formatter_csv = {"csv", begin, pair, end};

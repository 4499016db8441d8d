/*
 * CSV by RFC 4180: CRLF, fields quoted where they need it. Paths are written
 * byte for byte, after an apostrophe where a spreadsheet would take one for a formula; only to a
 * terminal they are escaped.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "base/text/line_buffer.h"
#include "report/lists/csv_path.h"
#include "report/lists/formatter.h"

static bool needs_quotes(struct bytes field)
{
	static const char special[] = {',', '"', '\r', '\n'};

	for (size_t i = 0; i < sizeof special; i++)
		if (memchr(field.data, special[i], field.size) != NULL)
			return true;
	return false;
}

/* A spreadsheet computes what begins so. A first apostrophe has another one before it, so one can
 * always be taken away. */
static bool needs_apostrophe(struct bytes field)
{
	return field.size > 0 && memchr("=+-@\t\r\n'", field.data[0], 8) != NULL;
}

static void write_field(FILE *out, struct bytes field, bool has_apostrophe)
{
	const char *apostrophe = has_apostrophe ? "'" : "";

	if (!needs_quotes(field)) {
		fputs(apostrophe, out);
		fwrite(field.data, 1, field.size, out);
		return;
	}
	fprintf(out, "\"%s", apostrophe);
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
	size_t size;
	char *text = escape_text(field, &size);

	if (text == NULL)
		fputs("?", out); /* no memory for a name of a few bytes */
	else
		write_field(out, (struct bytes){text, size}, needs_apostrophe(field));
	free(text);
}

void csv_write_path(FILE *out, struct bytes path, bool is_terminal)
{
	if (is_terminal)
		write_escaped_field(out, path);
	else
		write_field(out, path, needs_apostrophe(path));
}

static void put_share(struct line_buffer *line, double share)
{
	line_put_millionths(line, share);
	line_put(line, ",");
}

static void put_resemblance(struct line_buffer *line, const struct file_pair *pair)
{
	if (pair->verification == PAIR_READ || pair->is_part) {
		put_share(line, pair->contained_a);
		put_share(line, pair->contained_b);
	} else {
		line_put(line, ",,");
	}
	if (pair->is_part || has_resemblance(pair->verification))
		line_put_millionths(
			line, shown_share(pair->resemblance, pair->is_identical, SIMHASH_MILLION));
	line_put(line, ",");
}

static void write_pair(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	struct line_buffer line = {.out = out};

	line_put(&line, pair_match(pair));
	line_put(&line, ",");
	line_put_unsigned(&line, pair->distance);
	line_put(&line, ",");
	put_share(&line, pair_percent(pair));
	put_share(&line, 100 * estimated_change(pair->a, pair->b));
	line_put(&line, confirmation_name(pair));
	line_put(&line, ",");
	put_resemblance(&line, pair);
	line_put_signed(&line, pair->a->size_bytes);
	line_put(&line, ",");
	line_put_signed(&line, pair->b->size_bytes);
	line_put(&line, ",");
	line_flush(&line);
	csv_write_path(out, find_file_display(pair->a), how->records.is_terminal);
	fputc(',', out);
	csv_write_path(out, find_file_display(pair->b), how->records.is_terminal);
	line_put(&line, ",");
	line_put(&line, verification_name(pair->verification));
	line_put(&line, "\r\n");
	line_flush(&line);
}

static void write_member(FILE *out, const struct group *group, const struct group_member *member,
			 const struct presentation *how)
{
	fprintf(out, "%zu,%s,%" PRIu64 ",%.6f,%" PRId64 ",", group->number, role_name(member->role),
		member->distance, 100 * estimated_change(group->representative, member->file),
		member->file->size_bytes);
	csv_write_path(out, find_file_display(member->file), how->records.is_terminal);
	fputc(',', out);
	if (has_resemblance(member->verification))
		fprintf(out, "%.6f",
			shown_share(member->resemblance,
				    are_identical(group->representative, member->file),
				    SIMHASH_MILLION));
	fprintf(out, ",%s,%016" PRIx64 "\r\n", verification_name(member->verification), group->id);
}

const struct formatter formatter_csv = {
	.name = "csv",
	.format = RECORD_CSV,
	.pairs = {.begin = "match,distance,percent,changed,confirmation,contained_a,contained_b,"
			   "resemblance,size_a,size_b,path_a,path_b,verified\r\n"},
	.groups = {.begin = "group,role,distance,changed,size,path,resemblance,verified,id\r\n"},
	.pair = write_pair,
	.member = write_member,
};

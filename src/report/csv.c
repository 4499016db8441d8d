/*
 * CSV by RFC 4180: CRLF, fields quoted where they need it. Paths are written
 * byte for byte; only to a terminal they are escaped.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "report/formatter.h"

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
	size_t size;
	char *text = escape_text(field, &size);

	if (text == NULL)
		fputs("?", out); /* no memory for a name of a few bytes */
	else
		write_field(out, (struct bytes){text, size});
	free(text);
}

static void write_path(FILE *out, struct bytes path, bool is_terminal)
{
	if (is_terminal)
		write_escaped_field(out, path);
	else
		write_field(out, path);
}

static void write_pair(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	fprintf(out, "%s,%" PRIu64 ",%.6f,%.6f,%s,", pair_match(pair), pair->distance,
		pair_percent(pair), 100 * estimated_change(pair->a, pair->b),
		confirmation_name(pair));
	if (pair->verification == PAIR_READ || pair->is_part)
		fprintf(out, "%.6f,%.6f,%.6f,", pair->contained_a, pair->contained_b,
			pair->resemblance);
	else if (has_resemblance(pair->verification))
		fprintf(out, ",,%.6f,", pair->resemblance);
	else
		fputs(",,,", out);
	fprintf(out, "%" PRId64 ",%" PRId64 ",", pair->a->size_bytes, pair->b->size_bytes);
	write_path(out, find_file_display(pair->a), how->is_terminal);
	fputc(',', out);
	write_path(out, find_file_display(pair->b), how->is_terminal);
	fprintf(out, ",%s\r\n", verification_name(pair->verification));
}

static void write_member(FILE *out, const struct group *group, const struct group_member *member,
			 const struct presentation *how)
{
	fprintf(out, "%zu,%s,%" PRIu64 ",%.6f,%" PRId64 ",", group->number, role_name(member->role),
		member->distance, 100 * estimated_change(group->representative, member->file),
		member->file->size_bytes);
	write_path(out, find_file_display(member->file), how->is_terminal);
	fputc(',', out);
	if (has_resemblance(member->verification))
		fprintf(out, "%.6f", member->resemblance);
	fprintf(out, ",%s,%016" PRIx64 "\r\n", verification_name(member->verification), group->id);
}

const struct formatter formatter_csv = {
	.name = "csv",
	.pairs = {.begin = "match,distance,percent,changed,confirmation,contained_a,contained_b,"
			   "resemblance,size_a,size_b,path_a,path_b,verified\r\n"},
	.groups = {.begin = "group,role,distance,changed,size,path,resemblance,verified,id\r\n"},
	.pair = write_pair,
	.member = write_member,
};

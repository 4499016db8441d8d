/*
 * Text for people: a pair a line, with what it is, how much of the content has
 * changed, how far apart the sum tables are, and the two paths; groups as paragraphs.
 * Paths are escaped wherever the text goes, so that a line is always a pair.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "report/formatter.h"

static void begin(FILE *out)
{
	(void)out;
}

static void write_confirmation(FILE *out, const struct file_pair *pair)
{
	switch (pair->verification) {
	case PAIR_UNREAD:
	case PAIR_MEASURED:
		break;
	case PAIR_CONFIRMED:
		fprintf(out, "%7.2f%% same  ", 100 * pair->resemblance);
		break;
	case PAIR_TRUSTED:
		fputs("     trusted  ", out);
		break;
	case PAIR_UNCONFIRMED:
		fputs(" unconfirmed  ", out);
		break;
	default:
		break;
	}
}

/* Colours of ECMA-48; text for people has no others. */
#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"

static void colour(FILE *out, const char *code, const struct presentation *how)
{
	if (how->has_colours)
		fputs(code, out);
}

static void write_path(FILE *out, struct bytes path, const struct presentation *how)
{
	if (how->has_marks)
		fputc(PATH_MARK, out);
	write_escaped(out, path);
}

static void write_pair(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	colour(out, pair->is_identical ? GREEN : YELLOW, how);
	fputs(pair->is_identical ? "identical " : "similar   ", out);
	colour(out, PLAIN, how);
	/* What another measure found is not for the sum tables to speak of. */
	if (pair->verification == PAIR_MEASURED) {
		write_decimal(out, 100 * pair->resemblance, 6, 2);
		fputs("% alike  ", out);
	} else {
		write_decimal(out, 100 * pair->changed, 6, 2);
		fputs("% changed  ", out);
		write_decimal(out, pair_percent(pair), 8, 4);
		fputs("%  ", out);
		write_confirmation(out, pair);
	}
	write_path(out, find_file_display(pair->a), how);
	if (how->has_marks)
		fputc(WIDTH_MARK, out);
	fputs("  ", out);
	write_path(out, find_file_display(pair->b), how);
	fputc('\n', out);
}

static void end(FILE *out, uint64_t count)
{
	(void)out;
	(void)count;
}

static void group(FILE *out, const struct group_line *line, const struct presentation *how)
{
	fputs(line->group == 1 ? "" : "\n", out);
	colour(out, BOLD, how);
	fprintf(out, "group %" PRIu64 ": %" PRIu64 " file%s, %" PRId64 " bytes", line->group,
		line->files, line->files == 1 ? "" : "s", line->bytes);
	colour(out, PLAIN, how);
	fputc('\n', out);
}

static void member(FILE *out, const struct member_line *line, const struct presentation *how)
{
	switch (line->role) {
	case MEMBER:
		colour(out, YELLOW, how);
		if (line->is_measured)
			fputs("          similar    ", out);
		else
			fprintf(out, "  %7.2f%% changed   ", 100 * line->changed);
		break;
	case COPY:
		colour(out, GREEN, how);
		fputs("          identical  ", out);
		break;
	case REPRESENTATIVE:
	default:
		fputs("                     ", out);
		break;
	}
	if (line->role != REPRESENTATIVE)
		colour(out, PLAIN, how);
	write_path(out, line->path, how);
	fputc('\n', out);
}

static void end_group(FILE *out, const struct group_line *line)
{
	(void)out;
	(void)line;
}

const struct formatter formatter_text = {
	.name = "text",
	.first = "",
	.separator = "",
	.is_text = true,
	.begin = begin,
	.pair = write_pair,
	.end = end,
	.begin_groups = begin,
	.group = group,
	.member = member,
	.end_group = end_group,
	.end_groups = end,
};

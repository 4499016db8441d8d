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

static void write_confirmation(FILE *out, const struct pair_line *line)
{
	switch (line->confirmation) {
	case NOT_ASKED:
		break;
	case CONFIRMED:
		fprintf(out, "%7.2f%% same  ", 100 * line->resemblance);
		break;
	case TRUSTED:
		fputs("     trusted  ", out);
		break;
	case UNCONFIRMED:
		fputs(" unconfirmed  ", out);
		break;
	default:
		break;
	}
}

static void pair(FILE *out, const struct pair_line *line, bool is_terminal)
{
	(void)is_terminal;
	fputs(line->is_identical ? "identical " : "similar   ", out);
	write_decimal(out, 100 * line->changed, 6, 2);
	fputs("% changed  ", out);
	write_decimal(out, pair_percent(line), 8, 4);
	fputs("%  ", out);
	write_confirmation(out, line);
	write_escaped(out, line->path_a);
	fputs("  ", out);
	write_escaped(out, line->path_b);
	fputc('\n', out);
}

static void end(FILE *out, uint64_t count)
{
	(void)out;
	(void)count;
}

static void group(FILE *out, const struct group_line *line)
{
	fprintf(out, "%sgroup %" PRIu64 ": %" PRIu64 " files, %" PRId64 " bytes\n",
		line->group == 1 ? "" : "\n", line->group, line->files, line->bytes);
}

static void member(FILE *out, const struct member_line *line, bool is_terminal)
{
	(void)is_terminal;
	if (line->role == MEMBER)
		fprintf(out, "  %7.2f%% changed   ", 100 * line->changed);
	else
		fputs(line->role == COPY ? "          identical  " : "                     ", out);
	write_escaped(out, line->path);
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
	.begin = begin,
	.pair = pair,
	.end = end,
	.begin_groups = begin,
	.group = group,
	.member = member,
	.end_group = end_group,
	.end_groups = end,
};

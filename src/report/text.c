/*
 * Text for people: what, how far apart, and the two paths, a pair a line.
 * Paths are escaped wherever the text goes, so that a line is always a pair.
 * SPDX-License-Identifier: MIT
 */
#include "report/formatter.h"

static void begin(FILE *out)
{
	(void)out;
}

static void pair(FILE *out, const struct pair_line *line, uint64_t number, bool is_terminal)
{
	(void)number;
	(void)is_terminal;
	fprintf(out, "%-9s  %8.4f%%  ", pair_match(line), pair_percent(line));
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

const struct formatter formatter_text = {"text", begin, pair, end};

/*
 * Paths ended by zero bytes, for xargs -0 and its like: the two of a pair one after
 * the other; those of a group, with an empty one between groups.
 * SPDX-License-Identifier: MIT
 */
#include "report/formatter.h"

/* On a terminal it is only to look at: escaped, a line each. */
static void write_path(FILE *out, struct bytes path, const struct presentation *how)
{
	if (how->is_terminal)
		write_escaped(out, path);
	else
		fwrite(path.data, 1, path.size, out);
	fputc(how->is_terminal ? '\n' : '\0', out);
}

static void begin(FILE *out)
{
	(void)out;
}

static void write_pair(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	write_path(out, find_file_display(pair->a), how);
	write_path(out, find_file_display(pair->b), how);
}

static void end(FILE *out, uint64_t count)
{
	(void)out;
	(void)count;
}

/* The end of a group is written before the next, which knows where it goes. */
static void group(FILE *out, const struct group_line *line, const struct presentation *how)
{
	if (line->group > 1)
		write_path(out, (struct bytes){"", 0}, how);
}

static void member(FILE *out, const struct member_line *line, const struct presentation *how)
{
	write_path(out, line->path, how);
}

static void end_group(FILE *out, const struct group_line *line)
{
	(void)out;
	(void)line;
}

const struct formatter formatter_null = {
	.name = "null",
	.first = "",
	.separator = "",
	.begin = begin,
	.pair = write_pair,
	.end = end,
	.begin_groups = begin,
	.group = group,
	.member = member,
	.end_group = end_group,
	.end_groups = end,
};

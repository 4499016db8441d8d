/*
 * Paths ended by zero bytes, for xargs -0 and its like: the two of a pair one after
 * the other; those of a group, with an empty one between groups.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/escape.h"
#include "report/lists/formatter.h"
#include "report/lists/null_path.h"

void null_write_path(FILE *out, struct bytes path, bool is_terminal)
{
	if (is_terminal)
		write_escaped(out, path);
	else
		fwrite(path.data, 1, path.size, out);
	fputc(is_terminal ? '\n' : '\0', out);
}

static void write_pair(FILE *out, const struct file_pair *pair, const struct presentation *how)
{
	null_write_path(out, find_file_display(pair->a), how->records.is_terminal);
	null_write_path(out, find_file_display(pair->b), how->records.is_terminal);
}

/* The end of a group is written before the next, which knows where it goes. */
static void begin_group(FILE *out, const struct group *group, const struct presentation *how)
{
	if (group->number > 1)
		null_write_path(out, (struct bytes){"", 0}, how->records.is_terminal);
}

static void write_member(FILE *out, const struct group *group, const struct group_member *member,
			 const struct presentation *how)
{
	(void)group;
	null_write_path(out, find_file_display(member->file), how->records.is_terminal);
}

const struct formatter formatter_null = {.name = "null",
					 .format = RECORD_NULL,
					 .pair = write_pair,
					 .group = begin_group,
					 .member = write_member};

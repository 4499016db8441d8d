/*
 * Text for people: a pair a line, with what it is, how much of the content has
 * changed, how far apart the sum tables are, and the two paths; groups as paragraphs.
 * Paths are escaped wherever the text goes, so that a line is always a pair.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/escape.h"
#include "report/formatter.h"

static void write_confirmation(FILE *out, const struct file_pair *pair)
{
	if (pair->verification == PAIR_CONFIRMED)
		fprintf(out, "%7.2f%% same  ", 100 * pair->resemblance);
	else if (pair->verification != PAIR_UNREAD)
		fprintf(out, "%12s  ", verification_name(pair->verification));
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

static void begin_group(FILE *out, const struct group *group, const struct presentation *how)
{
	colour(out, BOLD, how);
	fprintf(out, "group %zu: %zu file%s, %" PRId64 " bytes", group->number, group->count,
		group->count == 1 ? "" : "s", group->bytes);
	colour(out, PLAIN, how);
	fputc('\n', out);
}

static void write_member(FILE *out, const struct group *group, const struct group_member *member,
			 const struct presentation *how)
{
	static const char *const colours[] = {
		[ROLE_REPRESENTATIVE] = "", [ROLE_MEMBER] = YELLOW, [ROLE_COPY] = GREEN};
	static const char *const names[] = {
		[ROLE_REPRESENTATIVE] = "", [ROLE_MEMBER] = "similar", [ROLE_COPY] = "identical"};

	colour(out, colours[member->role], how);
	if (member->role == ROLE_MEMBER && !group->is_measured)
		fprintf(out, "  %7.2f%% changed   ", 100 * member->changed);
	else
		fprintf(out, "          %-11s", names[member->role]);
	if (member->role != ROLE_REPRESENTATIVE)
		colour(out, PLAIN, how);
	write_path(out, find_file_display(member->file), how);
	fputc('\n', out);
}

const struct formatter formatter_text = {
	.name = "text",
	.groups = {.separator = "\n"},
	.is_text = true,
	.pair = write_pair,
	.group = begin_group,
	.member = write_member,
};

/*
 * Writes text for people: a pair a line, with the relation of the two files and their paths, and
 * groups as paragraphs. Paths are always escaped, so that a line is always a pair.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "report/lists/formatter.h"

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
	char label[LABEL_SIZE];

	colour(out, pair->relation.is_identical ? GREEN : YELLOW, how);
	fprintf(out, "%-*s", LABEL_COLUMNS, pair_label(pair, label));
	colour(out, PLAIN, how);
	fputs("  ", out);
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
	fprintf(out, "group %zu: %zu files, %" PRId64 " bytes", group->number, group->count,
		group->bytes);
	if (group->copied_bytes > 0)
		fprintf(out, " (%" PRId64 " in copies)", group->copied_bytes);
	fprintf(out, ", id %016" PRIx64, group->id);
	colour(out, PLAIN, how);
	fputc('\n', out);
}

void text_write_folded(FILE *out, const struct group *group, const struct group_member *member,
		       const struct presentation *how)
{
	char label[LABEL_SIZE + 16] = "", bytes[32];
	bool is_first = member->role == ROLE_REPRESENTATIVE;

	/* A copy of another member is shown as one: it is not identical to the representative. */
	if (!is_first && member->role == ROLE_COPY &&
	    !are_identical(member->file, group->representative))
		snprintf(label, sizeof label, "  identical");
	else if (!is_first)
		member_label(group, member, label);
	else if (group->copied_bytes > 0)
		/* Not what this file would save, but what its copies or those of others take. */
		snprintf(label, sizeof label, "copies %s",
			 format_bytes((double)group->copied_bytes, bytes));
	colour(out, is_first ? BOLD : member->role == ROLE_COPY ? GREEN : YELLOW, how);
	fprintf(out, "%-*s", LABEL_COLUMNS, label);
	colour(out, PLAIN, how);
	fputs("  ", out);
	write_path(out, find_file_display(member->file), how);
	fputc('\n', out);
}

static void write_member(FILE *out, const struct group *group, const struct group_member *member,
			 const struct presentation *how)
{
	static const char *const colours[] = {
		[ROLE_REPRESENTATIVE] = "", [ROLE_MEMBER] = YELLOW, [ROLE_COPY] = GREEN};
	char label[LABEL_SIZE];

	colour(out, colours[member->role], how);
	fprintf(out, "  %-*s  ", LABEL_COLUMNS, member_label(group, member, label));
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

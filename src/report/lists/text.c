/*
 * Writes pairs as text for people: one line has the relation of two files and their paths. Paths
 * are always escaped, so each pair has one line. blocks.c writes groups.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/escape.h"
#include "report/lists/formatter.h"

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
	const struct copy_damage *damage = damage_find(how->damages, pair);
	char label[LABEL_SIZE], place[PLACE_SIZE], bytes[DAMAGE_SIZE];

	colour(out, pair->relation.is_identical ? GREEN : YELLOW, how);
	fprintf(out, "%-*s", LABEL_COLUMNS,
		damage != NULL ? damage_label(damage) : pair_label(pair, label));
	colour(out, PLAIN, how);
	fputs("  ", out);
	write_path(out, find_file_display(pair->a), how);
	if (how->has_marks)
		fputc(WIDTH_MARK, out);
	fputs("  ", out);
	write_path(out, find_file_display(pair->b), how);
	if (pair->place != NULL)
		fprintf(out, "  %s", place_label(pair->place, place));
	if (damage != NULL)
		fprintf(out, "  %s",
			damage_place(damage, "the first file", "the second file", bytes));
	fputc('\n', out);
}

const struct formatter formatter_text = {
	.name = "text",
	.groups = {.separator = "\n"},
	.is_text = true,
	.pair = write_pair,
};

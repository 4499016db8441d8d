/*
 * Draws a lineage as text. The line of descent with the most versions goes straight down; others
 * branch off to the right:
 *
 *     o  a          the earliest
 *     |-o  a-draft  from a
 *     o  b          from a
 *     =  copy-of-b  identical to b
 *     ?  c          beside b; which of the two is the earlier is unclear
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <time.h>

#include "base/text/escape.h"
#include "report/lineage/lineage.h"

#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"
#define DEPTH_MAX 24 /* drawn; what is deeper is told by a number */

static void colour(FILE *out, const char *code, const struct presentation *how)
{
	if (how->has_colours)
		fputs(code, out);
}

static void write_date(FILE *out, int64_t mtime_ns)
{
	time_t seconds = (time_t)(mtime_ns / 1000000000 - (mtime_ns % 1000000000 < 0));
	struct tm date;
	char text[32] = "";

	if (gmtime_r(&seconds, &date) != NULL)
		strftime(text, sizeof text, "%Y-%m-%d", &date);
	fprintf(out, "%-10s  ", text);
}

/* The columns to the left of a version, and its sign. */
static void draw(FILE *out, unsigned depth, bool begins_branch, char sign)
{
	unsigned shown = depth < DEPTH_MAX ? depth : DEPTH_MAX;

	for (unsigned i = 0; i < shown; i++)
		fputs(begins_branch && i + 1 == shown ? "|-" : "| ", out);
	if (shown < depth)
		fprintf(out, "(+%u) ", depth - shown);
	fprintf(out, "%c  ", sign);
}

static void write_path(FILE *out, const struct find_file *file)
{
	write_escaped(out, find_file_display(file));
	fputc('\n', out);
}

static void write_version(FILE *out, const struct lineage_version *version,
			  const struct presentation *how)
{
	bool is_first = version->parent == NO_PARENT;
	char label[LABEL_SIZE] = "", reasons[REASONS_SIZE] = "", percent[8] = "";

	if (!is_first) {
		pair_label(&version->pair, label);
		lineage_reasons(version, reasons);
		snprintf(percent, sizeof percent, "%u %%", lineage_percent(version));
	}
	colour(out, is_first ? BOLD : lineage_is_clear(version) ? GREEN : YELLOW, how);
	fprintf(out, "  %-15s %4s %-19s ", label, percent, reasons);
	colour(out, PLAIN, how);
	write_date(out, version->mtime_ns);
	draw(out, version->depth, !is_first && !version->is_last_child,
	     is_first || lineage_is_clear(version) ? 'o' : '?');
	write_path(out, version->files[0]);
	for (size_t i = 1; i < version->file_count; i++) {
		fprintf(out, "  %-15s %4s %-19s ", "identical", "", "");
		write_date(out, version->files[i]->mtime_ns);
		draw(out, version->depth, false, '=');
		write_path(out, version->files[i]);
	}
}

void lineage_write_text(FILE *out, const struct group *group, const struct lineage *lineage,
			const struct presentation *how)
{
	colour(out, BOLD, how);
	fprintf(out, "group %zu: %zu versions in %zu files, %" PRId64 " bytes, id %016" PRIx64,
		group->number, lineage->count, group->count, group->bytes, group->id);
	colour(out, PLAIN, how);
	fputc('\n', out);
	for (size_t v = 0; v < lineage->count; v++)
		write_version(out, &lineage->versions[v], how);
}

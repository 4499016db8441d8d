/*
 * Draws a lineage as text. The line of descent with the most versions goes straight down; other
 * lines branch off to the right:
 *
 *     o  a          the earliest
 *     |-o  a-draft  from a
 *     o  b          from a
 *     =  copy-of-b  identical to b
 *     ?  c          next to b; it is unclear which of the two is earlier, or whether they are versions
 *
 * To the left of the drawing are the resemblance to the version above and the date. To the right
 * are the size and the certainty of the order, if the terminal is wide enough.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/sort/sort.h"
#include "base/text/columns.h"
#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "report/lineage/lineage.h"
#include "report/lists/marked.h"

#define DEPTH_MAX 24 /* deeper levels are shown as a number */

#define SIZE_COLUMNS 9
#define SIZES_FROM 80	   /* a narrower terminal shows no sizes */
#define CERTAINTY_FROM 100 /* a narrower terminal does not show the certainty of the order */
#define CERTAINTY_COLUMNS 40

/* How a group is drawn. */
struct drawing {
	struct listing *listing;
	int date_columns; /* the width of a date: the day, with minutes, or with seconds */
	int label_columns;
	struct layout layout;
	bool has_sizes, has_certainty;
};

/* ---- Dates ---- */

enum { DAY_COLUMNS = 10, MINUTE_COLUMNS = 16, SECOND_COLUMNS = 19 };

static void format_date(int64_t mtime_ns, int columns, char text[32])
{
	time_t seconds = (time_t)(mtime_ns / 1000000000 - (mtime_ns % 1000000000 < 0));
	struct tm date;

	text[0] = '\0';
	if (gmtime_r(&seconds, &date) != NULL &&
	    strftime(text, 32, "%Y-%m-%d %H:%M:%S", &date) == SECOND_COLUMNS)
		text[columns] = '\0';
}

static int compare_times(const void *a, const void *b, void *context)
{
	const int64_t *x = a, *y = b;

	(void)context;
	return (*x > *y) - (*x < *y);
}

static bool look_the_same(const int64_t *times, size_t count, int columns)
{
	char before[32], date[32];

	for (size_t i = 1; i < count; i++) {
		format_date(times[i - 1], columns, before);
		format_date(times[i], columns, date);
		if (times[i - 1] != times[i] && strcmp(before, date) == 0)
			return true;
	}
	return false;
}

/*
 * Choose the shortest form of dates that shows all times of a group as different, or seconds if
 * none does.
 */
static int choose_dates(struct drawing *drawing, const struct lineage *lineage, size_t files,
			struct simhash_error *error)
{
	int64_t *times = calloc(files + 1, sizeof *times);
	size_t count = 0;

	if (times == NULL)
		return error_set_memory(error);
	for (size_t v = 0; v < lineage->count; v++)
		for (size_t i = 0; i < lineage->versions[v].file_count; i++)
			times[count++] = find_file_time(lineage->versions[v].files[i]);
	sort_with(times, count, sizeof *times, compare_times, NULL);
	drawing->date_columns = !look_the_same(times, count, DAY_COLUMNS)      ? DAY_COLUMNS
				: !look_the_same(times, count, MINUTE_COLUMNS) ? MINUTE_COLUMNS
									       : SECOND_COLUMNS;
	free(times);
	return 0;
}

/* ---- The content of a line ---- */

static bool is_first(const struct lineage_version *version)
{
	return version->parent == NO_PARENT;
}

/* Percent signs are aligned, as in other lists. */
static void label_of(const struct lineage_version *version, bool is_copy, char label[LABEL_SIZE])
{
	char text[LABEL_SIZE] = "";

	if (is_copy)
		snprintf(text, sizeof text, "identical");
	else if (!is_first(version))
		pair_label(&version->pair, text);
	if ((text[0] >= '0' && text[0] <= '9') || text[0] == '>')
		snprintf(label, LABEL_SIZE, "%6.16s", text);
	else
		snprintf(label, LABEL_SIZE, "%s", text);
}

/* Write "85 % sure by time, size". */
static void certainty_of(const struct lineage_version *version, char *text, size_t size)
{
	char reasons[REASONS_SIZE];

	text[0] = '\0';
	if (is_first(version))
		return;
	lineage_reasons(version, reasons);
	if (version->relation <= LINEAGE_DOUBTFUL)
		snprintf(text, size, "perhaps a version");
	else if (!lineage_is_clear(version))
		snprintf(text, size, "order unclear");
	else
		snprintf(text, size, "%u %% sure by %s", lineage_percent(version),
			 strcmp(reasons, "others") == 0 ? "the other versions" : reasons);
}

/* Draw the columns to the left of a version, and its sign. */
static void draw(FILE *out, unsigned depth, bool begins_branch, char sign)
{
	unsigned shown = depth < DEPTH_MAX ? depth : DEPTH_MAX;

	for (unsigned i = 0; i < shown; i++)
		fputs(begins_branch && i + 1 == shown ? "|-" : "| ", out);
	if (shown < depth)
		fprintf(out, "(+%u) ", depth - shown);
	fprintf(out, "%c  ", sign);
}

/* ---- Columns ---- */

static size_t path_columns(const struct drawing *drawing, const struct find_file *file)
{
	size_t size, columns = 0;
	char *text = escape_text(find_file_display(file), &size);

	if (text != NULL)
		columns = text_columns((struct bytes){text, size}) -
			  text_columns(drawing->layout.prefix);
	free(text);
	return columns;
}

/* Choose widths for the widest label and the widest path, as far as the terminal has space. */
static void find_columns(struct drawing *drawing, const struct lineage *lineage)
{
	const struct presentation *how = &drawing->listing->how;
	size_t widest = 0, fixed;
	char label[LABEL_SIZE];

	drawing->label_columns = (int)strlen("identical");
	for (size_t v = 0; v < lineage->count; v++) {
		const struct lineage_version *version = &lineage->versions[v];
		unsigned depth = version->depth < DEPTH_MAX ? version->depth : DEPTH_MAX + 4;
		label_of(version, false, label);
		if ((int)strlen(label) > drawing->label_columns)
			drawing->label_columns = (int)strlen(label);
		for (size_t i = 0; how->has_marks && i < version->file_count; i++) {
			size_t columns = 2 * depth + 3 + path_columns(drawing, version->files[i]);
			widest = columns > widest ? columns : widest;
		}
	}
	fixed = (size_t)drawing->label_columns + 4 + (size_t)drawing->date_columns +
		(drawing->has_sizes ? SIZE_COLUMNS + 2 : 0);
	drawing->layout.columns =
		how->columns - (drawing->has_certainty && how->has_marks ? CERTAINTY_COLUMNS : 0);
	if (widest + fixed < drawing->layout.columns)
		drawing->layout.columns = widest + fixed;
}

/* ---- Writing ---- */

static void write_start(FILE *out, const struct drawing *drawing,
			const struct lineage_version *version, size_t file, char sign)
{
	const struct presentation *how = &drawing->listing->how;
	bool is_copy = file > 0, is_clear = is_copy || lineage_is_clear(version);
	char label[LABEL_SIZE], date[32];

	label_of(version, is_copy, label);
	format_date(find_file_time(version->files[file]), drawing->date_columns, date);
	fprintf(out, "%s%-*s%s  %-*s  ",
		!how->has_colours ? ""
		: is_clear	  ? GREEN
				  : YELLOW,
		drawing->label_columns, label, how->has_colours ? PLAIN : "", drawing->date_columns,
		date);
	draw(out, version->depth, !is_copy && !is_first(version) && !version->is_last_child, sign);
	if (how->has_marks)
		fputc(PATH_MARK, out);
	write_escaped(out, find_file_display(version->files[file]));
}

static int write_line(const struct drawing *drawing, const struct lineage_version *version,
		      size_t file, char sign, struct simhash_error *error)
{
	struct listing *listing = drawing->listing;
	char *line = NULL, bytes[32], end[48], certainty[REASONS_SIZE + 32];
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (out == NULL)
		return error_set_memory(error);
	write_start(out, drawing, version, file, sign);
	if (close_text(out, &line) != 0)
		return error_set_memory(error);
	snprintf(end, sizeof end, "%*s", listing->how.has_marks ? SIZE_COLUMNS : 0,
		 format_bytes((double)find_file_bytes(version->files[file]), bytes));
	if (!listing->how.has_marks)
		fprintf(listing->file, "%s  %s", line, end);
	else if (drawing->has_sizes)
		write_marked_to(listing->file, (struct bytes){line, size}, end, &drawing->layout);
	else
		write_marked(listing->file, (struct bytes){line, size}, &drawing->layout);
	free(line);
	certainty_of(version, certainty, sizeof certainty);
	if (drawing->has_certainty && file == 0 && certainty[0] != '\0')
		fprintf(listing->file, "  %s", certainty);
	fputc('\n', listing->file);
	return listing_check(listing, error);
}

static int write_version(const struct drawing *drawing, const struct lineage_version *version,
			 struct simhash_error *error)
{
	char sign = is_first(version) || lineage_is_clear(version) ? 'o' : '?';

	for (size_t i = 0; i < version->file_count; i++)
		if (write_line(drawing, version, i, i == 0 ? sign : '=', error) != 0)
			return -1;
	return 0;
}

static void write_head(struct listing *listing, const struct group *group,
		       const struct lineage *lineage)
{
	char versions[32], files[32], bytes[32];

	fprintf(listing->file, "%s%s versions in %s files, %s%s\n",
		listing->how.has_colours ? BOLD : "", format_count(lineage->count, versions),
		format_count(group->count, files), format_bytes((double)group->bytes, bytes),
		listing->how.has_colours ? PLAIN : "");
}

void lineage_write_legend(struct listing *listing)
{
	size_t columns = listing->how.has_marks ? listing->how.columns : SIZE_MAX;

	write_wrapped(listing->file,
		      "Each version is below the one that it was probably made from, with the "
		      "resemblance of the two. Times are UTC.",
		      columns);
	fputs("o version  = identical  ? unclear  |- branch\n\n", listing->file);
}

int lineage_write_text(struct listing *listing, const struct group *group,
		       const struct lineage *lineage, struct simhash_error *error)
{
	const struct presentation *how = &listing->how;
	struct drawing drawing = {.listing = listing,
				  .layout = {.prefix = listing_prefix(listing)},
				  .has_sizes = !how->has_marks || how->columns >= SIZES_FROM,
				  .has_certainty = !how->has_marks ||
						   how->columns >= CERTAINTY_FROM};

	if (choose_dates(&drawing, lineage, group->count, error) != 0)
		return -1;
	find_columns(&drawing, lineage);
	write_head(listing, group, lineage);
	for (size_t v = 0; v < lineage->count; v++)
		if (write_version(&drawing, &lineage->versions[v], error) != 0)
			return -1;
	return 0;
}

/*
 * Writes pairs of folders for people: the folder that can be removed, the folder that has its
 * files, and the files that would be lost.
 * SPDX-License-Identifier: MIT
 */
#include "report/folders/folder_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/text/columns.h"
#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "report/lists/marked.h"

#define PATH_COLUMN 13 /* the column of paths, after the label */
#define SIZE_COLUMNS 9
#define AFTER_COLUMNS 8 /* the columns of a share after a path: " (100 %)" */

/* Return whole percents; 100 only for all files, and 0 only if nothing is shared. */
static unsigned whole_share(const struct folder_share *share)
{
	unsigned percent = (unsigned)(100 * folder_shared(share));

	return percent == 0 && share->shared_bytes > 0	      ? 1
	       : percent == 100 && share->same < share->files ? 99
							      : percent;
}

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

/* Write "39 files     1.2 MB". */
static void format_numbers(const struct folder_share *share, const struct folder_columns *columns,
			   char *text, size_t size)
{
	char count[32], bytes[32], files[48];

	snprintf(files, sizeof files, "%s file%s", format_count(share->files, count),
		 plural(share->files));
	snprintf(text, size, "%*s  %*s", (int)columns->files, files,
		 columns->files == 0 ? 0 : SIZE_COLUMNS, format_bytes((double)share->bytes, bytes));
}

#define NUMBERS_SIZE 96

static void widen(struct folder_columns *columns, size_t path, size_t files)
{
	columns->path = path > columns->path ? path : columns->path;
	columns->files = files > columns->files ? files : columns->files;
}

static size_t escaped_columns(struct bytes path)
{
	size_t size, columns;
	char *text = escape_text(path, &size);

	columns = text == NULL ? 0 : text_columns((struct bytes){text, size});
	free(text);
	return columns;
}

void folder_text_widen(const struct folder_share *share, struct bytes name,
		       struct folder_columns *columns)
{
	static const struct folder_columns none = {0, 0};
	char text[NUMBERS_SIZE];

	format_numbers(share, &none, text, sizeof text);
	widen(columns, escaped_columns(name), (size_t)(strstr(text, "  ") - text));
}

/* Lines are as wide as the widest line, but not wider than the terminal. */
static struct layout layout_of(const struct listing *listing, const struct folder_columns *columns)
{
	struct bytes prefix = listing_prefix(listing);
	size_t numbers = 2 + columns->files + 2 + SIZE_COLUMNS;
	size_t wanted =
		PATH_COLUMN + columns->path - text_columns(prefix) + AFTER_COLUMNS + numbers;
	size_t terminal = listing->how.columns;

	return (struct layout){.prefix = prefix,
			       .columns = columns->path == 0 || wanted > terminal ? terminal
										  : wanted};
}

/*
 * A line: a label in colour, a path, a text after it, perhaps a second path, and the numbers at the
 * end.
 */
struct line {
	const char *colour, *label;
	struct bytes path;
	/* The relation of the second path to the first, or another text; may be "". */
	const char *after;
	struct bytes second; /* empty: no second path */
	const char *numbers; /* NULL: no numbers */
};

static void write_line_text(FILE *out, const struct presentation *how, const struct line *line)
{
	bool has_colour = how->has_colours && line->label[0] != '\0';

	fprintf(out, "%s%s%s", has_colour ? line->colour : "", line->label,
		has_colour ? PLAIN : "");
	if (how->has_marks)
		fputc(PATH_MARK, out);
	write_escaped(out, line->path);
	if (how->has_marks && line->after[0] != '\0')
		fputc(WIDTH_MARK, out);
	fputs(line->after, out);
	if (line->second.size == 0)
		return;
	if (how->has_marks)
		fputc(PATH_MARK, out);
	write_escaped(out, line->second);
}

static int write_line(struct listing *listing, const struct line *line,
		      const struct folder_columns *columns, struct simhash_error *error)
{
	const struct layout layout = layout_of(listing, columns);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return error_set_memory(error);
	write_line_text(out, &listing->how, line);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	if (!listing->how.has_marks)
		fprintf(listing->file, "%s%s%s", text, line->numbers == NULL ? "" : "  ",
			line->numbers == NULL ? "" : line->numbers);
	else if (line->numbers != NULL)
		write_marked_to(listing->file, (struct bytes){text, size}, line->numbers, &layout);
	else
		write_marked(listing->file, (struct bytes){text, size}, &layout);
	fputc('\n', listing->file);
	free(text);
	return listing_check(listing, error);
}

/* Write a text below the paths, in lines that fit into the terminal. */
static void write_below(struct listing *listing, const char *text, size_t indent)
{
	size_t columns = listing->how.has_marks ? listing->how.columns - indent : SIZE_MAX;
	char *lines = NULL;
	size_t size;
	FILE *out = open_memstream(&lines, &size);

	if (out == NULL)
		return;
	write_wrapped(out, text, columns);
	if (close_text(out, &lines) != 0)
		return;
	for (char *line = lines, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
		fprintf(listing->file, "%*s%.*s", (int)indent, "", (int)(end + 1 - line), line);
	free(lines);
}

/* Return the text between two parts of a sentence. */
static const char *comma(bool *has_begun)
{
	const char *text = *has_begun ? ", " : "";

	*has_begun = true;
	return text;
}

struct file_count {
	uint64_t files;
	const char *what;
};

/* Write "120 files identical, 12 changed, 3 only in A, 5 only in B". */
static void write_counts(FILE *out, const struct file_count *counts, size_t kinds, bool *has_begun)
{
	char count[32];

	for (size_t i = 0; i < kinds; i++)
		if (counts[i].files > 0) {
			bool is_first = !*has_begun;
			fprintf(out, "%s%s", comma(has_begun),
				format_count(counts[i].files, count));
			if (is_first)
				fprintf(out, " file%s", plural(counts[i].files));
			fprintf(out, " %s", counts[i].what);
		}
}

/* ---- Pairs ---- */

/* Note that a folder is in an archive: members of archives are found, but never removed. */
static void write_archives(FILE *out, const struct folder_pair *pair, bool *has_begun)
{
	if (pair->a_in_archive && pair->b_in_archive)
		fprintf(out, "%sboth in archives", comma(has_begun));
	else if (pair->a_in_archive)
		fprintf(out, "%sin an archive", comma(has_begun));
	else if (pair->b_in_archive)
		fprintf(out, "%sthe folder above is in an archive", comma(has_begun));
}

/*
 * Does removing the shared files of the first folder free nothing, because each of them has another
 * name elsewhere?
 */
static bool frees_nothing(const struct folder_pair *pair)
{
	return pair->a.same > 0 && pair->saved_bytes == 0 && !pair->a_in_archive &&
	       !pair->b_in_archive;
}

/* Write details that the label of a pair does not show. Most pairs have none. */
static void write_details(FILE *out, const struct folder_pair *pair)
{
	const struct folder_share *a = &pair->a, *b = &pair->b;
	const struct file_count counts[] = {
		{a->same, "identical"},
		{a->changed, "changed"},
		{a->files - a->same - a->changed, "only here"},
		{b->files - b->same - b->changed, "only in the folder above"}};
	bool has_begun = false;
	char bytes[32];

	if (pair->kind == FOLDERS_SIMILAR)
		write_counts(out, counts, sizeof counts / sizeof *counts, &has_begun);
	write_archives(out, pair, &has_begun);
	if (frees_nothing(pair))
		fprintf(out, "%sremoving it frees nothing: its files have other names",
			comma(&has_begun));
	else if (pair->kind == FOLDERS_SIMILAR && pair->saved_bytes > 0)
		fprintf(out, "; removing the identical file%s frees %s", plural(a->same),
			format_bytes((double)pair->saved_bytes, bytes));
}

int folder_text_head(struct listing *listing, const struct folder_pair *pair, struct bytes name,
		     const struct folder_columns *columns, struct simhash_error *error)
{
	char numbers[NUMBERS_SIZE];

	format_numbers(&pair->b, columns, numbers, sizeof numbers);
	return write_line(
		listing,
		&(struct line){
			.colour = BOLD, .label = "", .path = name, .after = "", .numbers = numbers},
		columns, error);
}

/*
 * If two folders differ much in size, one is shown as part of the other. Otherwise the smaller
 * share is shown.
 */
#define PART_FROM 10 /* the difference of the shares, in percentage points */

static void relate_folders(const struct folder_pair *pair, const char **label, char *after,
			   size_t after_size)
{
	unsigned a = whole_share(&pair->a), b = whole_share(&pair->b);

	after[0] = '\0';
	if (pair->kind == FOLDERS_IDENTICAL)
		*label = "  identical  ";
	else if (pair->kind == FOLDERS_CONTAINED || a >= b + PART_FROM) {
		*label = "  contains   ";
		snprintf(after, after_size, " (%u %%)", a);
	} else if (b >= a + PART_FROM) {
		*label = "  part of    ";
		snprintf(after, after_size, " (%u %%)", b);
	} else {
		*label = NULL;
	}
}

int folder_text_member(struct listing *listing, const struct folder_pair *pair, struct bytes name,
		       const struct folder_columns *columns, struct simhash_error *error)
{
	unsigned a = whole_share(&pair->a), b = whole_share(&pair->b);
	char numbers[NUMBERS_SIZE], percent[PATH_COLUMN + 8], after[32], *text = NULL;
	struct line line = {.colour = pair->kind == FOLDERS_SIMILAR ? YELLOW : GREEN,
			    .path = name,
			    .after = after,
			    .numbers = numbers};
	size_t size;
	FILE *out;

	format_numbers(&pair->a, columns, numbers, sizeof numbers);
	relate_folders(pair, &line.label, after, sizeof after);
	if (line.label == NULL) {
		snprintf(percent, sizeof percent, "%6u %%     ", a < b ? a : b);
		line.label = percent;
	}
	if (write_line(listing, &line, columns, error) != 0)
		return -1;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return error_set_memory(error);
	write_details(out, pair);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	if (size > 0)
		write_below(listing, text, PATH_COLUMN);
	free(text);
	return listing_check(listing, error);
}

/* ---- Two folders ---- */

static void write_share(FILE *out, const struct folder_share *share, const char *of, const char *in)
{
	unsigned percent = whole_share(share);

	if (percent == 100)
		fprintf(out, "all of %s is in %s", of, in);
	else if (percent == 0)
		fprintf(out, "nothing of %s is in %s", of, in);
	else
		fprintf(out, "%u %% of %s is in %s", percent, of, in);
}

/* The number of files without a counterpart whose content the other folder has. */
static uint64_t count_copies(const struct folder_comparison *comparison, enum fate fate)
{
	uint64_t count = 0;

	for (size_t i = 0; i < comparison->count; i++)
		count += comparison->files[i].fate == fate && comparison->files[i].is_copy;
	return count;
}

/*
 * Write how the two folders are related, and how many files are identical, moved, changed, copied
 * once more, or only on one side.
 */
static void write_whole(FILE *out, const struct folder_comparison *comparison)
{
	const struct folder_pair *pair = &comparison->pair;
	const uint64_t *fates = comparison->fates;
	uint64_t copies_a = count_copies(comparison, FATE_ONLY_A);
	uint64_t copies_b = count_copies(comparison, FATE_ONLY_B);
	const struct file_count counts[] = {{fates[FATE_SAME], "identical"},
					    {fates[FATE_MOVED], "moved"},
					    {fates[FATE_CHANGED], "changed"},
					    {copies_a, "copied in A"},
					    {copies_b, "copied in B"},
					    {fates[FATE_ONLY_A] - copies_a, "only in A"},
					    {fates[FATE_ONLY_B] - copies_b, "only in B"}};
	bool has_begun = false;
	char bytes[32];

	write_counts(out, counts, sizeof counts / sizeof *counts, &has_begun);
	fputs("; ", out);
	if (pair->kind == FOLDERS_IDENTICAL)
		fputs("A and B have the same contents", out);
	else {
		write_share(out, &pair->a, "A", "B");
		fputs(", ", out);
		write_share(out, &pair->b, "B", "A");
	}
	fputc('.', out);
	if (pair->saved_bytes > 0)
		fprintf(out, " Removing from A the files that B also has would free %s.",
			format_bytes((double)pair->saved_bytes, bytes));
	else if (frees_nothing(pair))
		fputs(" Removing from A the files that B also has frees nothing: the files have "
		      "other names.",
		      out);
}

/* Write "97 %", or ">99 %", for a share of files that are not identical; 0 if it is unknown. */
static void format_percent(double share, char *text, size_t size)
{
	share = share < 0 ? 0 : share;
	snprintf(text, size, share < 0.995 ? "%u %%" : ">99 %%", share_in_steps(share, 100));
}

#define RELATION_SIZE 32

/* Return the second path of the line of a file, or an empty path. */
static struct bytes second_path(const struct folder_file *file)
{
	bool has_two = file->path_a.size > 0 && file->path_b.size > 0 &&
		       bytes_compare(file->path_a, file->path_b) != 0;

	return has_two ? file->path_b : file->like;
}

static bool is_part(const struct folder_file *file)
{
	return file->part_of > 0 || file->contains > 0;
}

static const char *part_word(const struct folder_file *file)
{
	return file->part_of > 0 ? "part of" : "contains";
}

/* Write the relation of a file to the second path of its line, or to the file at the same path. */
static void relate(const struct folder_file *file, char *text, size_t size)
{
	bool has_like = file->like.size > 0, has_second = second_path(file).size > 0;
	char percent[16];

	format_percent(file->part_of > 0    ? file->part_of
		       : file->contains > 0 ? file->contains
					    : file->resemblance,
		       percent, sizeof percent);
	if (is_part(file) && has_like)
		snprintf(text, size, "  %s (%s) ", part_word(file), percent);
	else if (is_part(file))
		snprintf(text, size, "  (%s)%s", percent, has_second ? " now " : "");
	else if (!has_second)
		text[0] = '\0';
	else if (!has_like)
		snprintf(text, size, "  now ");
	else if (file->is_copy)
		snprintf(text, size, "  same as ");
	else
		snprintf(text, size, "  %s like ", percent);
}

static int write_file(struct listing *listing, const struct folder_file *file,
		      const struct folder_columns *columns, struct simhash_error *error)
{
	static const char *const colours[] = {[FATE_CHANGED] = YELLOW,
					      [FATE_MOVED] = GREEN,
					      [FATE_ONLY_A] = BOLD,
					      [FATE_ONLY_B] = BOLD,
					      [FATE_SAME] = GREEN};
	static const char *const labels[] = {[FATE_CHANGED] = "changed",
					     [FATE_MOVED] = "moved",
					     [FATE_ONLY_A] = "only in A",
					     [FATE_ONLY_B] = "only in B",
					     [FATE_SAME] = "identical"};
	bool is_b = file->fate == FATE_ONLY_B;
	const char *what = !file->is_copy ? labels[file->fate] : is_b ? "copy in B" : "copy in A";
	char label[32], percent[16], relation[RELATION_SIZE] = "", bytes[32], numbers[32];
	struct line line = {.colour = colours[file->fate],
			    .label = label,
			    .path = is_b ? file->path_b : file->path_a,
			    .after = relation,
			    .second = second_path(file),
			    .numbers = numbers};

	snprintf(label, sizeof label, "%-*s", PATH_COLUMN, what);
	if (file->fate == FATE_CHANGED && is_part(file)) {
		snprintf(label, sizeof label, "%-*s", PATH_COLUMN, part_word(file));
	} else if (file->fate == FATE_CHANGED && file->resemblance >= 0) {
		format_percent(file->resemblance, percent, sizeof percent);
		snprintf(label, sizeof label, "%6s       ", percent);
	}
	relate(file, relation, sizeof relation);
	snprintf(numbers, sizeof numbers, "%*s", listing->how.has_marks ? SIZE_COLUMNS : 0,
		 format_bytes((double)(is_b ? file->size_b_bytes : file->size_a_bytes), bytes));
	return write_line(listing, &line, columns, error);
}

static int write_side(struct listing *listing, const char *label, struct bytes name,
		      const struct folder_share *share, const struct folder_columns *columns,
		      struct simhash_error *error)
{
	char numbers[NUMBERS_SIZE];
	const struct line line = {
		.colour = BOLD, .label = label, .path = name, .after = "", .numbers = numbers};

	format_numbers(share, columns, numbers, sizeof numbers);
	return write_line(listing, &line, columns, error);
}

static int write_sides(struct listing *listing, const struct folder_comparison *comparison,
		       const struct bytes names[2], struct simhash_error *error)
{
	const struct folder_pair *pair = &comparison->pair;
	struct folder_columns columns = {0, 0};

	if (listing->how.has_marks) {
		folder_text_widen(&pair->a, names[0], &columns);
		folder_text_widen(&pair->b, names[1], &columns);
	}
	return write_side(listing, "A  ", names[0], &pair->a, &columns, error) != 0 ||
			       write_side(listing, "B  ", names[1], &pair->b, &columns, error) != 0
		       ? -1
		       : 0;
}

static int write_files(struct listing *listing, const struct folder_comparison *comparison,
		       struct simhash_error *error)
{
	struct folder_columns columns = {0, 0};

	for (size_t i = 0; listing->how.has_marks && i < comparison->count; i++) {
		const struct folder_file *file = &comparison->files[i];
		struct bytes second = second_path(file);
		char relation[RELATION_SIZE] = "";
		relate(file, relation, sizeof relation);
		widen(&columns,
		      escaped_columns(file->path_a.size > 0 ? file->path_a : file->path_b) +
			      strlen(relation) + escaped_columns(second),
		      0);
	}
	for (size_t i = 0; i < comparison->count; i++)
		if (write_file(listing, &comparison->files[i], &columns, error) != 0)
			return -1;
	return listing_check(listing, error);
}

int folder_text_comparison(struct listing *listing, const struct folder_comparison *comparison,
			   const struct bytes names[2], struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return error_set_memory(error);
	write_whole(out, comparison);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	if (write_sides(listing, comparison, names, error) != 0) {
		free(text);
		return -1;
	}
	fputc('\n', listing->file);
	write_below(listing, text, 0);
	free(text);
	if (comparison->count > 0)
		fputc('\n', listing->file);
	return write_files(listing, comparison, error);
}

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
#include "base/text/decimal.h"
#include "base/text/escape.h"
#include "report/lists/marked.h"

#define GREEN "\x1b[32m"
#define YELLOW "\x1b[33m"
#define BOLD "\x1b[1m"
#define PLAIN "\x1b[0m"
#define NOTHING ((struct bytes){"", 0})

/* Whole percents, of which only all is 100 and only nothing is 0. */
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

/* A label, in colour, and one path or two, the second after what it is to the first. */
static int write_line(struct listing *listing, const char *colour, const char *label,
		      struct bytes path, const char *relation, struct bytes second,
		      struct simhash_error *error)
{
	const struct presentation *how = &listing->how;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return error_set_memory(error);
	fprintf(out, "%s%-*s%s  ", how->has_colours ? colour : "", LABEL_COLUMNS, label,
		how->has_colours ? PLAIN : "");
	if (how->has_marks)
		fputc(PATH_MARK, out);
	write_escaped(out, path);
	if (second.size > 0) {
		fprintf(out, how->has_marks ? "\x02  %s\x01" : "  %s", relation);
		write_escaped(out, second);
	}
	fputc('\n', out);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	listing_write_text(listing, (struct bytes){text, size});
	free(text);
	return listing_check(listing, error);
}

/* A text below the paths, in lines that fit. */
static void write_below(struct listing *listing, const char *text)
{
	size_t indent = LABEL_COLUMNS + 2;
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

/* What is between two parts of a sentence, of which the first is the one that is told first. */
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

/* "120 files the same, 12 changed, 3 only in the first, 5 only in the second" */
static void write_counts(FILE *out, const struct file_count *counts, size_t kinds)
{
	bool has_begun = false;
	char count[32];

	for (size_t i = 0; i < kinds; i++)
		if (counts[i].files > 0) {
			bool is_first = !has_begun;
			fprintf(out, "%s%s", comma(&has_begun),
				format_count(counts[i].files, count));
			if (is_first)
				fprintf(out, " file%s", plural(counts[i].files));
			fprintf(out, " %s", counts[i].what);
		}
}

/* What is in an archive is found, and nothing else is done with it. */
static void write_archives(FILE *out, const struct folder_pair *pair)
{
	if (pair->a_in_archive && pair->b_in_archive)
		fputs("; both are in archives", out);
	else if (pair->a_in_archive || pair->b_in_archive)
		fprintf(out, "; the %s is in an archive", pair->a_in_archive ? "first" : "second");
}

/* Is every file of the first that the second has also a file under another name, which stays? */
static bool frees_nothing(const struct folder_pair *pair)
{
	return pair->a.same > 0 && pair->saved_bytes == 0 && !pair->a_in_archive &&
	       !pair->b_in_archive;
}

static void write_sizes(FILE *out, const struct folder_pair *pair)
{
	char count[32], bytes[32];

	fprintf(out, "%s file%s, %s", format_count(pair->a.files, count), plural(pair->a.files),
		format_bytes((double)pair->a.bytes, bytes));
	if (pair->kind == FOLDERS_CONTAINED)
		fprintf(out, "; the second has %s file%s, %s", format_count(pair->b.files, count),
			plural(pair->b.files), format_bytes((double)pair->b.bytes, bytes));
}

static void write_details(FILE *out, const struct folder_pair *pair)
{
	const struct folder_share *a = &pair->a, *b = &pair->b;
	const struct file_count counts[] = {
		{a->same, "the same"},
		{a->changed, "changed"},
		{a->files - a->same - a->changed, "only in the first"},
		{b->files - b->same - b->changed, "only in the second"}};

	if (pair->kind == FOLDERS_SIMILAR)
		write_counts(out, counts, sizeof counts / sizeof *counts);
	else
		write_sizes(out, pair);
	if (frees_nothing(pair))
		fputs("; to remove the first frees nothing: its files have other names", out);
	write_archives(out, pair);
}

/* What `write` makes of a pair, below the paths. */
static int write_text(struct listing *listing, const struct folder_pair *pair,
		      void (*write)(FILE *out, const struct folder_pair *pair),
		      struct simhash_error *error)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return error_set_memory(error);
	write(out, pair);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	write_below(listing, text);
	free(text);
	return listing_check(listing, error);
}

int folder_text_pair(struct listing *listing, const struct folder_pair *pair,
		     const struct bytes names[2], struct simhash_error *error)
{
	char label[64] = "", bytes[32];

	if (pair->saved_bytes > 0)
		snprintf(label, sizeof label, "saves %s",
			 format_bytes((double)pair->saved_bytes, bytes));
	if (write_line(listing, BOLD, label, names[0], NULL, NOTHING, error) != 0)
		return -1;
	if (pair->kind == FOLDERS_SIMILAR)
		snprintf(label, sizeof label, "  %u %% in", whole_share(&pair->a));
	else
		snprintf(label, sizeof label, "%s",
			 pair->kind == FOLDERS_IDENTICAL ? "  identical" : "  all of it in");
	if (write_line(listing, pair->kind == FOLDERS_SIMILAR ? YELLOW : GREEN, label, names[1],
		       NULL, NOTHING, error) != 0)
		return -1;
	return write_text(listing, pair, write_details, error);
}

/* ---- Two folders ---- */

static void write_share(FILE *out, const struct folder_share *share, char other)
{
	char count[32], bytes[32];

	fprintf(out, "%s file%s, %s; %u %% of it in %c", format_count(share->files, count),
		plural(share->files), format_bytes((double)share->bytes, bytes), whole_share(share),
		other);
}

static void write_a(FILE *out, const struct folder_pair *pair)
{
	write_share(out, &pair->a, 'B');
}

static void write_b(FILE *out, const struct folder_pair *pair)
{
	write_share(out, &pair->b, 'A');
}

static int write_whole(struct listing *listing, const struct folder_comparison *comparison,
		       struct simhash_error *error)
{
	const uint64_t *fates = comparison->fates;
	const struct file_count counts[] = {{fates[FATE_SAME], "the same"},
					    {fates[FATE_MOVED], "moved"},
					    {fates[FATE_CHANGED], "changed"},
					    {fates[FATE_ONLY_A], "only in A"},
					    {fates[FATE_ONLY_B], "only in B"}};
	char *text = NULL, bytes[32];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return error_set_memory(error);
	write_counts(out, counts, sizeof counts / sizeof *counts);
	if (comparison->pair.saved_bytes > 0)
		fprintf(out, "; what A has the same saves %s",
			format_bytes((double)comparison->pair.saved_bytes, bytes));
	else if (frees_nothing(&comparison->pair))
		fputs("; to remove what A has the same frees nothing: the files have other names",
		      out);
	if (close_text(out, &text) != 0)
		return error_set_memory(error);
	write_below(listing, text);
	free(text);
	return listing_check(listing, error);
}

/* Whole percents, of which what is not the same has fewer than 100. */
static unsigned changed_percent(const struct folder_file *file)
{
	unsigned percent = file->resemblance < 0 ? 0 : (unsigned)(100 * file->resemblance);

	return percent > 99 ? 99 : percent;
}

/* What the second path of a line is to the first. */
static void relate(const struct folder_file *file, char *text, size_t size)
{
	unsigned percent = changed_percent(file);

	if (file->like.size == 0)
		text[0] = '\0';
	else if (file->is_copy)
		snprintf(text, size, "same as ");
	else
		snprintf(text, size, "%u %% like ", percent);
}

static int write_file(struct listing *listing, const struct folder_file *file,
		      struct simhash_error *error)
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
					     [FATE_SAME] = "same"};
	bool is_b = file->fate == FATE_ONLY_B;
	bool has_two = file->path_a.size > 0 && file->path_b.size > 0 &&
		       bytes_compare(file->path_a, file->path_b) != 0;
	unsigned percent = changed_percent(file);
	char label[32], relation[32];

	snprintf(label, sizeof label, "%s", labels[file->fate]);
	if (file->fate == FATE_CHANGED && file->resemblance >= 0)
		snprintf(label, sizeof label, "changed, %u %%", percent);
	relate(file, relation, sizeof relation);
	return write_line(listing, colours[file->fate], label, is_b ? file->path_b : file->path_a,
			  relation, has_two ? file->path_b : file->like, error);
}

int folder_text_comparison(struct listing *listing, const struct folder_comparison *comparison,
			   const struct bytes names[2], struct simhash_error *error)
{
	const struct folder_pair *pair = &comparison->pair;

	if (write_line(listing, BOLD, "A", names[0], NULL, NOTHING, error) != 0)
		return -1;
	if (write_text(listing, pair, write_a, error) != 0 ||
	    write_line(listing, BOLD, "B", names[1], NULL, NOTHING, error) != 0 ||
	    write_text(listing, pair, write_b, error) != 0 ||
	    write_whole(listing, comparison, error) != 0)
		return -1;
	if (comparison->count > 0)
		fputc('\n', listing->file);
	for (size_t i = 0; i < comparison->count; i++)
		if (write_file(listing, &comparison->files[i], error) != 0)
			return -1;
	return listing_check(listing, error);
}

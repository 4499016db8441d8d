/*
 * Writes a line for each kept file and each act, for terminals and for other programs. Also writes
 * the command that continues from a plan: the user's words, and the options that carry it out.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/act_lines.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/text/columns.h"
#include "base/text/escape.h"
#include "base/text/shell_word.h"
#include "cli/terminal/terminal.h"
#include "report/lists/listing.h"

#define PROGRAM "simkeep"
#define WHAT_COLUMNS 13
#define SIZE_COLUMNS 10

static void widen_layout(struct layout *layout, const struct keep_file *file)
{
	size_t size, columns;
	char *text = file == NULL ? NULL : escape_text(bytes_of(file->path), &size);

	if (text == NULL)
		return;
	columns = WHAT_COLUMNS + SIZE_COLUMNS + 1 +
		  text_columns(
			  (struct bytes){text + layout->prefix.size, size - layout->prefix.size});
	free(text);
	if (columns > layout->columns)
		layout->columns = columns;
}

void act_lines_begin(struct act_lines *lines, const struct plan *plan, bool moves)
{
	struct bytes common;

	if (!lines->how.has_marks || plan->count == 0)
		return;
	common = path_above(bytes_of(plan->acts[0].file->path));
	for (size_t i = 0; i < plan->count; i++) {
		path_widen(&common, path_above(bytes_of(plan->acts[i].file->path)));
		if (plan->acts[i].kept != NULL)
			path_widen(&common, path_above(bytes_of(plan->acts[i].kept->path)));
	}
	lines->layout = (struct layout){.prefix = paths_prefix(common), .folds = true};
	for (size_t i = 0; i < plan->count; i++) {
		widen_layout(&lines->layout, plan->acts[i].file);
		widen_layout(&lines->layout, plan->acts[i].kept);
	}
	if (lines->layout.columns > lines->how.columns || moves)
		lines->layout.columns = lines->how.columns;
	write_prefix(stdout, &lines->layout);
}

/*
 * Write a line for a terminal: the kept file, or, indented, the act on another file.
 */
static void write_screen_line(const struct act_lines *lines, const char *what,
			      const struct keep_file *file, const char *to, bool is_kept)
{
	const char *colour = is_kept ? GREEN : YELLOW;
	char *line = NULL, bytes[32] = "", end[48];
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (out == NULL)
		return;
	fprintf(out, "%s%s%-*s%s%c", is_kept ? "" : "  ", lines->how.has_colours ? colour : "",
		WHAT_COLUMNS - (is_kept ? 0 : 2), what, lines->how.has_colours ? PLAIN : "",
		PATH_MARK);
	write_escaped(out, bytes_of(file->path));
	if (to != NULL) {
		fprintf(out, "%c -> %c", WIDTH_MARK, PATH_MARK);
		write_escaped(out, bytes_of(to));
	}
	if (close_text(out, &line) != 0)
		return;
	if (file->size_bytes != KEEP_SIZE_UNKNOWN)
		format_bytes((double)file->size_bytes, bytes);
	snprintf(end, sizeof end, "%*s", SIZE_COLUMNS - 1, bytes);
	write_marked_to(stdout, (struct bytes){line, size}, end, &lines->layout);
	putchar('\n');
	free(line);
}

void act_line_write(const struct act_lines *lines, const char *what, const struct keep_file *file,
		    const char *to, bool is_kept)
{
	if (lines->how.has_marks) {
		write_screen_line(lines, what, file, to, is_kept);
		return;
	}
	printf("%-9s ", what);
	write_escaped(stdout, bytes_of(file->path));
	if (to != NULL) {
		fputs(" -> ", stdout);
		write_escaped(stdout, bytes_of(to));
	}
	putchar('\n');
}

void act_lines_release(struct act_lines *lines)
{
	free((char *)(uintptr_t)lines->layout.prefix.data);
}

/* ---- The next step ---- */

/* Write the options that carry out the plan, with a journal that does not exist yet. */
static void write_journal_name(FILE *out)
{
	char name[32] = "undo.jsonl";

	for (unsigned i = 2; i < 1000 && access(name, F_OK) == 0; i++)
		snprintf(name, sizeof name, "undo-%u.jsonl", i);
	fprintf(out, "--yes --journal=%s", name);
}

/* Write the options that come before the user's words. */
static void write_options(FILE *out, const struct keep_arguments *arguments, bool lists_folders)
{
	if (arguments->policy.action != ACTION_REPORT || arguments->into != NULL || arguments->heal)
		write_journal_name(out);
	else
		fputs(lists_folders ? "--keep=oldest --action=delete" : "--action=delete", out);
}

static void write_words(FILE *out, const struct keep_arguments *arguments)
{
	for (int i = 1; i < arguments->word_count; i++) {
		fputc(' ', out);
		if (needs_encoding(bytes_of(arguments->words[i])))
			fputs(arguments->words[i][0] == '-' ? "OPTION" : "FILE", out);
		else
			write_command_word(out, bytes_of(arguments->words[i]));
	}
}

void next_step_say(const struct keep_arguments *arguments, bool lists_folders)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (arguments->quiet || arguments->script_path != NULL || arguments->yes ||
	    arguments->reviews ||
	    (arguments->decisions_path != NULL && strcmp(arguments->decisions_path, "-") == 0) ||
	    (arguments->has_action && arguments->policy.action == ACTION_REPORT &&
	     arguments->into == NULL))
		return;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return;
	write_options(out, arguments, lists_folders);
	write_words(out, arguments);
	if (close_text(out, &text) == 0)
		say_next(PROGRAM, NULL, text, NULL);
	free(text);
}

void next_step_say_saved(const struct keep_arguments *arguments, const char *decisions_path)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (arguments->quiet || arguments->script_path != NULL || arguments->yes)
		return;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return;
	fputs("--decisions=", out);
	if (needs_encoding(bytes_of(decisions_path)))
		fputs("FILE", out);
	else
		write_command_word(out, bytes_of(decisions_path));
	if (arguments->index.host != NULL) {
		fputs(" --host=", out);
		write_command_word(out, bytes_of(arguments->index.host));
	}
	fputs(arguments->policy.action == ACTION_HARDLINK  ? " --action=hardlink "
	      : arguments->policy.action == ACTION_REFLINK ? " --action=reflink "
	      : arguments->move_to == NULL		   ? " --action=delete "
							   : " --action=move:",
	      out);
	if (arguments->move_to != NULL) {
		write_command_word(out, bytes_of(arguments->move_to));
		fputc(' ', out);
	}
	write_journal_name(out);
	if (close_text(out, &text) == 0)
		say_next(PROGRAM, NULL, text, NULL);
	free(text);
}

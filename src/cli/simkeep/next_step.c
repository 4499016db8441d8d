/*
 * Writes the command that continues from the output of a plan: the user's words, and the options
 * that carry it out.
 * SPDX-License-Identifier: MIT
 */
#include "cli/simkeep/next_step.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/open_file.h"
#include "base/text/shell_word.h"
#include "cli/terminal/terminal.h"

#define PROGRAM "simkeep"

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
	if (arguments->policy.action != ACTION_REPORT || arguments->into != NULL)
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

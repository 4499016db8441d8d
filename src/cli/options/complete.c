/*
 * Writes the completions for a shell when the programs are built. It reads a template of
 * src/completions from standard input, and replaces the line @OPTIONS@ by text from the tables of
 * options.
 *
 *     complete bash|zsh|fish PROGRAM... <TEMPLATE >COMPLETIONS
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options/find_options.h"
#include "cli/options/index_options.h"
#include "cli/options/keep_options.h"

static bool is_optional(const struct option_row *row)
{
	return row->kind != VALUE_NONE && row->value[0] == '[';
}

/* Does its letter take the value? With an optional value, only --NAME=VALUE does. */
static bool takes_value(const struct option_row *row)
{
	return row->letter != 0 && row->kind != VALUE_NONE && !is_optional(row);
}

/*
 * The help of an option up to the first ';', inside single quotes, with a backslash before bytes in
 * `special`. For zsh, a quote ends the quotes and begins them again.
 */
static void print_brief(const struct option_row *row, const char *special, bool is_zsh)
{
	for (const char *c = row->help; *c != '\0' && *c != ';'; c++)
		if (*c == '\'' && is_zsh)
			fputs("'\\''", stdout);
		else
			printf("%s%c", strchr(special, *c) != NULL ? "\\" : "", *c);
}

/* ---- Bash: a function for values, and one for the names of options ---- */

static void print_bash_value(const struct option_program *program, const struct option_row *row)
{
	static const char *const kinds[] = {
		[VALUE_TEXT] = "any",	[VALUE_FILE] = "path",	       [VALUE_LIST] = "list",
		[VALUE_WORD] = "word",	[VALUE_DATABASE] = "database", [VALUE_START] = "word",
		[VALUE_NAMED] = "word", [VALUE_SIDES] = "side",
	};

	if (row->kind == VALUE_NONE)
		return;
	putchar('\t');
	if (takes_value(row))
		printf("%s-%c | ", program->name, row->letter);
	printf("%s--%s) kind=%s", program->name, row->name, kinds[row->kind]);
	for (size_t i = 0; row->words != NULL && row->words[i] != NULL; i++)
		printf("%s%s%s", i == 0 ? " words=(" : " ", row->words[i],
		       row->words[i + 1] == NULL ? ")" : "");
	printf("%s ;;\n", is_optional(row) ? " optional=yes" : "");
}

/* An option with a value is offered with its =, and also without it if the value is optional. */
static void print_bash_name(const struct option_row *row)
{
	if (row->letter != 0)
		printf(" -%c", row->letter);
	if (row->kind == VALUE_NONE || row->kind == VALUE_SIDES || is_optional(row))
		printf(" --%s", row->name);
	if (row->kind != VALUE_NONE && row->kind != VALUE_SIDES)
		printf(" --%s=", row->name);
}

static void print_bash(const struct option_program *const *programs, int count)
{
	puts("# What the value of option $1 of $program is, in variables of the caller: kind is\n"
	     "# none, any, word, path, list (@ and a path), side or database; words are the words\n"
	     "# that can be given; optional is set for a value that can be left out.\n"
	     "_simhash_value() {\n\tkind=none words=() optional=''\n\tcase $program$1 in");
	for (int p = 0; p < count; p++)
		for (size_t i = 0; i < programs[p]->count; i++)
			if (programs[p]->rows[i].name != NULL &&
			    !option_is_part(&programs[p]->rows[i]))
				print_bash_value(programs[p], &programs[p]->rows[i]);
	puts("\tesac\n}\n\n"
	     "# The options of $program, in words of the caller; those with a value end in =.\n"
	     "_simhash_option_words() {\n\tcase $program in");
	for (int p = 0; p < count; p++) {
		printf("\t%s) words=(", programs[p]->name);
		for (size_t i = 0; i < programs[p]->count; i++)
			if (programs[p]->rows[i].name != NULL &&
			    !option_is_part(&programs[p]->rows[i]))
				print_bash_name(&programs[p]->rows[i]);
		puts(") ;;");
	}
	puts("\tesac\n}");
}

/* ---- Zsh: a case of _arguments for each program ---- */

static void print_zsh_names(const struct option_row *row)
{
	if (row->letter != 0)
		printf("-%c ", row->letter);
	printf("--%s ", row->name);
}

/* The options that are not offered any more when this option is on the line. */
static void print_zsh_exclusions(const struct option_program *program, const struct option_row *row)
{
	if (option_ends_program(row)) {
		fputs("(- *)", stdout);
		return;
	}
	putchar('(');
	if (!row->is_list)
		print_zsh_names(row);
	for (size_t i = 0; i < program->count; i++) {
		const struct option_row *other = &program->rows[i];
		if (other->name != NULL && !option_is_part(other) && other != row &&
		    options_conflict(row, other))
			print_zsh_names(other);
	}
	printf("%s)%s", option_refuses_operands(program, row) ? "*" : "", row->is_list ? "*" : "");
}

static void print_zsh_value(const struct option_row *row)
{
	static const char *const actions[] = {[VALUE_TEXT] = " ",
					      [VALUE_FILE] = "_files",
					      [VALUE_LIST] = "_simhash_list",
					      [VALUE_DATABASE] = "_simhash_database"};

	if (row->kind == VALUE_NONE)
		return;
	if (row->kind == VALUE_SIDES) {
		fputs(":first directory:_simhash_side:second directory:_simhash_side", stdout);
		return;
	}
	fputs(is_optional(row) ? "::" : ":", stdout);
	for (const char *c = row->value; *c != '\0'; c++)
		if (strchr("[=]", *c) == NULL)
			printf("%s%c", *c == ':' ? "\\" : "", *c);
	putchar(':');
	for (size_t i = 0; row->words != NULL && row->words[i] != NULL; i++) {
		fputs(i == 0 ? "(" : " ", stdout);
		for (const char *at = row->words[i]; *at != '\0'; at++)
			printf("%s%c", *at == ':' ? "\\" : "", *at);
	}
	fputs(row->words != NULL ? ")" : actions[row->kind], stdout);
}

static void print_zsh_row(const struct option_program *program, const struct option_row *row)
{
	for (int is_long = row->letter == 0; is_long < 2; is_long++) {
		fputs(" \\\n\t\t\t'", stdout);
		print_zsh_exclusions(program, row);
		if (is_long)
			printf("--%s%s%s", row->name, row->kind == VALUE_NONE ? "" : "=",
			       is_optional(row) ? "-" : "");
		else
			printf("-%c%s", row->letter, takes_value(row) ? "+" : "");
		putchar('[');
		print_brief(row, "'[]\\", true);
		putchar(']');
		if (is_long || takes_value(row))
			print_zsh_value(row);
		putchar('\'');
	}
}

static void print_zsh(const struct option_program *const *programs, int count)
{
	for (int p = 0; p < count; p++) {
		printf("\t%s)\n\t\t_arguments -s -S", programs[p]->name);
		for (size_t i = 0; i < programs[p]->count; i++)
			if (programs[p]->rows[i].name != NULL &&
			    !option_is_part(&programs[p]->rows[i]))
				print_zsh_row(programs[p], &programs[p]->rows[i]);
		puts(" \\\n\t\t\t'*:file:_files'\n\t\t;;");
	}
}

/* ---- Fish: a command for each option ---- */

static void print_fish_value(const struct option_row *row)
{
	switch (row->kind) {
	case VALUE_NONE:
		break;
	case VALUE_FILE:
		fputs(" -r -F", stdout);
		break;
	case VALUE_LIST:
		fputs(" -x -a '(__simhash_list)'", stdout);
		break;
	case VALUE_DATABASE:
		fputs(" -x -a '(__simhash_database)'", stdout);
		break;
	case VALUE_SIDES:
		fputs(" -x -a '(__simhash_side)'", stdout);
		break;
	case VALUE_TEXT:
	case VALUE_WORD:
	case VALUE_START:
	case VALUE_NAMED:
	default:
		fputs(is_optional(row) ? " -f" : " -x", stdout);
		for (size_t i = 0; row->words != NULL && row->words[i] != NULL; i++)
			printf("%s%s%s", i == 0 ? " -a '" : " ", row->words[i],
			       row->words[i + 1] == NULL ? "'" : "");
	}
}

static void print_fish_text(const struct option_row *row)
{
	fputs(" -d '", stdout);
	print_brief(row, "'\\", false);
	puts("'");
}

static void print_fish(const struct option_program *program)
{
	for (size_t i = 0; i < program->count; i++) {
		const struct option_row *row = &program->rows[i];
		if (row->name == NULL || option_is_part(row))
			continue;
		printf("complete -c %s", program->name);
		if (row->letter != 0)
			printf(" -s %c", row->letter);
		if (is_optional(row) && row->letter != 0) {
			print_fish_text(row);
			printf("complete -c %s", program->name);
		}
		printf(" -l %s", row->name);
		print_fish_value(row);
		print_fish_text(row);
		if (row->kind == VALUE_SIDES)
			printf("complete -c %s -n '__simhash_at_second_side --%s' -f -a "
			       "'(__simhash_side)'\n",
			       program->name, row->name);
	}
}

static int print_options(const char *shell, const struct option_program *const *programs, int count)
{
	if (strcmp(shell, "bash") == 0)
		print_bash(programs, count);
	else if (strcmp(shell, "zsh") == 0)
		print_zsh(programs, count);
	else if (strcmp(shell, "fish") == 0)
		for (int p = 0; p < count; p++)
			print_fish(programs[p]);
	else
		return -1;
	return 0;
}

int main(int argc, char **argv)
{
	enum { PROGRAMS = 3 };
	static const struct option_program *const known[PROGRAMS] = {&index_program, &find_program,
								     &keep_program};
	const struct option_program *programs[PROGRAMS];
	char line[1024];
	int count = 0, status = argc < 2 ? -1 : 0;

	for (int i = 2; i < argc; i++)
		for (int k = 0; k < PROGRAMS; k++)
			if (count < PROGRAMS && strcmp(argv[i], known[k]->name) == 0)
				programs[count++] = known[k];
	while (status == 0 && fgets(line, sizeof line, stdin) != NULL)
		if (strcmp(line, "@OPTIONS@\n") == 0)
			status = print_options(argv[1], programs, count);
		else
			fputs(line, stdout);
	if (status != 0 || count == 0)
		fputs("complete: expected bash|zsh|fish PROGRAM... <TEMPLATE\n", stderr);
	return status != 0 || count == 0 || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

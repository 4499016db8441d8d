/*
 * Prints -h and --help from a table of options. No line is longer than 79 columns, and the texts
 * are aligned.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "cli/options/option_table.h"

#define COLUMNS 79 /* the last column of a terminal stays empty */

/* Return how many bytes of a text fit into `columns`; lines are broken at blanks. */
static size_t fitting(const char *text, size_t size, size_t columns)
{
	if (size <= columns)
		return size;
	for (size = columns; size > 0 && text[size] != ' '; size--)
		;
	return size == 0 ? columns : size;
}

/* Print a text in lines that begin at `column`. The first line is already at column `at`. */
static void print_text(const char *text, size_t size, size_t at, size_t column)
{
	while (size > 0) {
		size_t some = fitting(text, size, COLUMNS - column);
		printf("%*s%.*s\n", (int)(column - at), "", (int)some, text);
		while (some < size && text[some] == ' ')
			some++;
		text += some;
		size -= some;
		at = 0;
	}
}

static void print_option(const struct option_row *row, size_t column, size_t help_size)
{
	char letter[] = {'-', row->letter, ',', '\0'};
	const char *value = row->value == NULL ? "" : row->value;
	int width = option_is_part(row) ? printf("        %s%s", strchr(row->name, '=') + 1, value)
					: printf("  %3s --%s%s", row->letter == 0 ? "" : letter,
						 row->name, value);
	size_t at = width < 0 ? 0 : (size_t)width;

	if (at + 1 > column) {
		putchar('\n');
		at = 0;
	}
	print_text(row->help, help_size, at, column);
}

/* Print -h: the options that most people need. */
static void print_common(const struct option_program *program)
{
	putchar('\n');
	for (size_t i = 0; i < program->count; i++)
		if (program->rows[i].is_common)
			print_option(&program->rows[i], program->help_column,
				     strcspn(program->rows[i].help, ";"));
	printf("\nAll options: %s --help. Manual with examples: man %s\n", program->name,
	       program->name);
}

static void print_all(const struct option_program *program)
{
	for (size_t i = 0; i < program->count; i++) {
		if (program->rows[i].heading != NULL)
			printf("\n%s:\n", program->rows[i].heading);
		else
			print_option(&program->rows[i], program->help_column,
				     strlen(program->rows[i].help));
	}
	fputs("\nExit status: ", stdout);
	print_text(program->statuses, strlen(program->statuses), strlen("Exit status: "),
		   strlen("Exit status: "));
}

int show_help(const struct option_use *use, struct simhash_error *error)
{
	(void)error;
	fputs(use->program->usage, stdout);
	print_text(use->program->about, strlen(use->program->about), 0, 0);
	(use->by_letter ? print_common : print_all)(use->program);
	return 1;
}

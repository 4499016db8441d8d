/*
 * Prints --help from a table of options, within 80 columns and with aligned texts.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "cli/options/option_table.h"

#define COLUMNS 79 /* the last column of a terminal stays free */

/* How much of a text fits into `columns`, broken at a blank. */
static size_t fitting(const char *text, size_t columns)
{
	size_t size = strlen(text);

	if (size <= columns)
		return size;
	for (size = columns; size > 0 && text[size] != ' '; size--)
		;
	return size == 0 ? columns : size;
}

static void print_option(const struct option_row *row, size_t column)
{
	const char *text = row->help;
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
	while (*text != '\0') {
		size_t size = fitting(text, COLUMNS - column);
		printf("%*s%.*s\n", (int)(column - at), "", (int)size, text);
		text += size;
		text += strspn(text, " ");
		at = 0;
	}
}

int show_help(const struct option_use *use, struct simhash_error *error)
{
	const struct option_program *program = use->program;

	(void)error;
	fputs(program->usage, stdout);
	for (size_t i = 0; i < program->count; i++) {
		if (program->rows[i].heading != NULL)
			printf("\n%s:\n", program->rows[i].heading);
		else
			print_option(&program->rows[i], program->help_column);
	}
	puts("\nExit status: 0 success, 1 failure, 2 success but some files could not be used.");
	return 1;
}

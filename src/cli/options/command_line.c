/*
 * Writes the words of a command line as a text.
 * SPDX-License-Identifier: MIT
 */
#include "cli/options/command_line.h"

#include <stdio.h>

#include "base/files/open_file.h"
#include "base/text/shell_word.h"

char *command_line_text(const char *program, int argc, char *const *argv)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	fputs(program, out);
	for (int i = 1; i < argc; i++) {
		fputc(' ', out);
		write_command_word(out, bytes_of(argv[i]));
	}
	return close_text(out, &text) == 0 ? text : NULL;
}

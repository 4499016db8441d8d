/*
 * The command line as a text.
 * SPDX-License-Identifier: MIT
 */
#include "cli/command_line.h"

#include <stdio.h>
#include <string.h>

#include "base/open_file.h"

static void write_word(FILE *out, const char *word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789%+,-./:=@_";

	if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word != '\0'; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputc('\'', out);
}

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
		write_word(out, argv[i]);
	}
	return close_text(out, &text) == 0 ? text : NULL;
}

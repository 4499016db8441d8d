/*
 * Writes messages, the status line and numbers for people to the terminal.
 * SPDX-License-Identifier: MIT
 */
#include "cli/terminal/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/text/columns.h"
#include "base/text/escape.h"
#include "base/text/shell_word.h"
#include "report/lists/marked.h"
#include "scan/file/container_kind.h"

/* Protects standard error and `is_shown`. */
static pthread_mutex_t error_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_shown; /* a signal handler in another thread reads it */

bool has_status(void)
{
	return is_shown;
}

void show_status(const char *line)
{
	pthread_mutex_lock(&error_lock);
	if (is_shown || line != NULL)
		fputs(ERASE_LINE, stderr);
	if (line != NULL)
		fputs(line, stderr);
	fflush(stderr);
	is_shown = line != NULL;
	pthread_mutex_unlock(&error_lock);
}

unsigned terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return 80;
	return size.ws_col;
}

/*
 * Return the columns of a character of `length` bytes of UTF-8. Most characters of three or more
 * bytes are wide.
 */
static unsigned columns_of(const char *c, size_t length)
{
	return length < 3 ? 1 : length == 3 && (unsigned char)c[0] < 0xe1 ? 1 : 2;
}

void write_shortened(FILE *out, struct bytes path, unsigned columns)
{
	size_t size, at = 0;
	char *text = escape_text(path, &size);
	unsigned width = 0;

	if (text == NULL)
		return;
	for (size_t i = 0, length; i < size; i += length) {
		length = utf8_length((struct bytes){text + i, size - i});
		length = length == 0 ? 1 : length;
		width += columns_of(text + i, length);
	}
	if (width > columns && columns > 3) {
		fputs("...", out);
		while (width > columns - 3) {
			size_t length = utf8_length((struct bytes){text + at, size - at});
			length = length == 0 ? 1 : length;
			width -= columns_of(text + at, length);
			at += length;
		}
	}
	if (width <= columns)
		fwrite(text + at, 1, size - at, out);
	free(text);
}

const char *format_seconds(double seconds, char *buffer)
{
	unsigned long whole = seconds > 3.6e8 ? 360000000 : (unsigned long)(seconds + 0.5);

	if (whole >= 3600)
		snprintf(buffer, 32, "%lu:%02lu:%02lu", whole / 3600, whole / 60 % 60, whole % 60);
	else
		snprintf(buffer, 32, "%lu:%02lu", whole / 60, whole % 60);
	return buffer;
}

static void write_message(FILE *stream, const char *program, struct bytes path, const char *text)
{
	fprintf(stream, "%s: ", program);
	if (path.size > 0) {
		write_escaped(stream, path);
		fputs(": ", stream);
	}
	/* Backslashes of a command are not doubled, so that the user can copy it. */
	if (needs_encoding(bytes_of(text)))
		write_escaped(stream, bytes_of(text));
	else
		fputs(text, stream);
	fputc('\n', stream);
}

/*
 * Several threads write messages, so each message is written with one call. Without memory it is
 * written in parts.
 */
static void say_parts(const char *program, struct bytes path, const char *text)
{
	char *line = NULL;
	size_t size;
	FILE *memory = open_memstream(&line, &size);
	bool is_whole = false;

	if (memory != NULL) {
		write_message(memory, program, path, text);
		is_whole = close_text(memory, &line) == 0;
	}
	pthread_mutex_lock(&error_lock);
	if (is_shown)
		fputs(ERASE_LINE, stderr);
	is_shown = false;
	if (is_whole)
		fwrite(line, 1, size, stderr);
	else
		write_message(stderr, program, path, text);
	pthread_mutex_unlock(&error_lock);
	free(line);
}

void say(const char *program, const char *text)
{
	say_parts(program, (struct bytes){"", 0}, text);
}

void say_path(const char *program, struct bytes path, const char *text)
{
	say_parts(program, path.size > 0 ? path : bytes_of("''"), text);
}

/* Do a command and its explanation fit in one line of the terminal? */
static bool fits_columns(const char *command, const char *what)
{
	size_t width = text_columns(bytes_of(command)) + 1 + text_columns(bytes_of(what));

	return width <= (size_t)terminal_columns();
}

void say_next(const char *command, const char *url, const char *options, const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (isatty(STDOUT_FILENO) != 1 || isatty(STDERR_FILENO) != 1 || fflush(stdout) != 0)
		return;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return;
	fprintf(out, "\nNext: %s", command);
	if (url != NULL) {
		fputs(" -d ", out);
		if (needs_encoding(bytes_of(url)))
			fputs("URL", out);
		else
			write_command_word(out, bytes_of(url));
	}
	if (options != NULL)
		fprintf(out, " %s", options);
	/* The command is not wrapped, so that the user can copy it. */
	if (close_text(out, &text) == 0 && what == NULL)
		fprintf(stderr, "%s\n", text);
	else if (text != NULL)
		fprintf(stderr, "%s%c%s\n", text, fits_columns(text, what) ? ' ' : '\n', what);
	free(text);
}

int finish_output(struct simhash_error *error)
{
	if (fflush(stdout) != 0)
		return error_set_errno(error, "cannot write to standard output");
	if (ferror(stdout))
		return error_set(error, SIMHASH_E_SYSTEM, "cannot write to standard output");
	return 0;
}

const char *explain_errno(int system_errno)
{
	const char *why;

	switch (system_errno) {
	case EINVAL:
		return "Neither a regular file nor a directory";
	case EISDIR:
		return "Not a regular file";
	case EILSEQ:
		return "Not in gzip format";
	case EBADMSG:
		return "Damaged gzip file";
	case FILE_HAS_LARGE_HOLES:
		return "Has more than 64 TiB of holes";
	case EOVERFLOW:
		return "Inflates to more than --limits=inflated=SIZE allows";
	default:
		why = container_explain(system_errno);
		return why == NULL ? strerror(system_errno) : why;
	}
}

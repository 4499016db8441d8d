/*
 * Saying things on standard error, and numbers for people.
 * SPDX-License-Identifier: MIT
 */
#include "cli/terminal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/formatter.h"

/* Messages come from several threads: each is put together first and written at once. */
static void say_parts(const char *program, struct bytes path, const char *text)
{
	char *line = NULL;
	size_t size;
	FILE *memory = open_memstream(&line, &size);

	if (memory != NULL) {
		fprintf(memory, "%s: ", program);
		if (path.size > 0) {
			write_escaped(memory, path);
			fputs(": ", memory);
		}
		write_escaped(memory, (struct bytes){text, strlen(text)});
		fputc('\n', memory);
	}
	if (memory == NULL || fclose(memory) != 0)
		fputs("out of memory\n", stderr);
	else
		fwrite(line, 1, size, stderr);
	free(line);
}

void say(const char *program, const char *text)
{
	say_parts(program, (struct bytes){"", 0}, text);
}

void say_path(const char *program, struct bytes path, const char *text)
{
	say_parts(program, path, text);
}

const char *explain_errno(int system_errno)
{
	return system_errno == EINVAL ? "Neither a regular file nor a directory"
				      : strerror(system_errno);
}

const char *format_count(uint64_t count, char *buffer)
{
	char digits[24];
	int length = snprintf(digits, sizeof digits, "%" PRIu64, count);
	char *write = buffer;

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*write++ = ',';
		*write++ = digits[i];
	}
	*write = '\0';
	return buffer;
}

const char *format_bytes(double bytes, char *buffer)
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB", "EB"};
	size_t unit = 0;

	while (bytes >= 999.95 && unit + 1 < sizeof units / sizeof *units) {
		bytes /= 1000;
		unit++;
	}
	snprintf(buffer, 32, unit == 0 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
	return buffer;
}

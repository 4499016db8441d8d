/*
 * Writes error messages of one line. A message that is too long is shortened in the middle, so that
 * the reason is never cut off. The programs print and escape the messages.
 * SPDX-License-Identifier: MIT
 */
#include "base/basic/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUT "..."
#define TAIL_MAX 400 /* bytes at the end of a shortened message */

/* Fill the message with all of `tail` and as much of `head` as fits, and mark the cut. */
static void join_cut(struct simhash_error *error, const char *head, const char *tail)
{
	size_t tail_size = strlen(tail);
	size_t head_size = sizeof error->message - 1 - strlen(CUT) - tail_size;

	snprintf(error->message, sizeof error->message, "%.*s" CUT "%s", (int)head_size, head,
		 tail);
}

/* Write the message and `reason`, which is much shorter than a message. */
__attribute__((format(printf, 2, 0))) static void write_message(struct simhash_error *error,
								const char *format,
								va_list arguments,
								const char *reason)
{
	size_t reason_size = strlen(reason), size;
	va_list again;
	char *whole;
	int length;

	va_copy(again, arguments);
	length = vsnprintf(error->message, sizeof error->message, format, arguments);
	size = length < 0 ? 0 : (size_t)length;
	if (size + reason_size < sizeof error->message) {
		memcpy(error->message + size, reason, reason_size + 1);
		va_end(again);
		return;
	}
	size += reason_size + 1;
	whole = malloc(size);
	if (whole != NULL) {
		vsnprintf(whole, size - reason_size, format, again);
		memcpy(whole + size - 1 - reason_size, reason, reason_size + 1);
		join_cut(error, whole, whole + size - 1 - TAIL_MAX);
	} else {
		char head[sizeof error->message];
		memcpy(head, error->message, sizeof head);
		join_cut(error, head, reason);
	}
	free(whole);
	va_end(again);
}

static void set_codes(struct simhash_error *error, int code, int system_errno)
{
	error->code = code;
	error->system_errno = system_errno;
	memset(error->reserved, 0, sizeof error->reserved);
}

int(error_set)(struct simhash_error *error, int code, const char *format, ...)
{
	va_list arguments;

	if (error == NULL)
		return -1;
	set_codes(error, code, 0);
	va_start(arguments, format);
	write_message(error, format, arguments, "");
	va_end(arguments);
	return -1;
}

int(error_set_errno)(struct simhash_error *error, const char *format, ...)
{
	int saved = errno;
	char reason[128];
	va_list arguments;

	if (error == NULL)
		return -1;
	snprintf(reason, sizeof reason, ": %s", strerror(saved));
	set_codes(error, SIMHASH_E_SYSTEM, saved);
	va_start(arguments, format);
	write_message(error, format, arguments, reason);
	va_end(arguments);
	errno = saved;
	return -1;
}

int(error_set_memory)(struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_MEMORY, "out of memory");
}

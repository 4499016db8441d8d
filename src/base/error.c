/*
 * Error messages: one line, never cut without a sign.
 * Leaves printing and escaping to the programs.
 * SPDX-License-Identifier: MIT
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Mark a message that was cut at the end of its buffer. */
static void mark_cut(struct simhash_error *error, size_t wanted)
{
	if (wanted >= sizeof error->message)
		memcpy(error->message + sizeof error->message - 4, "...", 4);
}

__attribute__((format(printf, 2, 0))) static size_t
format_message(struct simhash_error *error, const char *format, va_list arguments)
{
	int length = vsnprintf(error->message, sizeof error->message, format, arguments);
	size_t wanted = length < 0 ? 0 : (size_t)length;

	mark_cut(error, wanted);
	return wanted < sizeof error->message ? wanted : sizeof error->message - 1;
}

int(error_set)(struct simhash_error *error, enum simhash_error_code code, const char *format, ...)
{
	va_list arguments;

	error->code = code;
	error->system_errno = 0;
	va_start(arguments, format);
	format_message(error, format, arguments);
	va_end(arguments);
	return -1;
}

int(error_set_errno)(struct simhash_error *error, const char *format, ...)
{
	va_list arguments;
	int saved = errno;
	size_t used, left;
	int length;

	error->code = SIMHASH_E_SYSTEM;
	error->system_errno = saved;
	va_start(arguments, format);
	used = format_message(error, format, arguments);
	va_end(arguments);
	left = sizeof error->message - used;
	length = snprintf(error->message + used, left, ": %s", strerror(saved));
	if (length > 0)
		mark_cut(error, used + (size_t)length);
	errno = saved;
	return -1;
}

int(error_set_memory)(struct simhash_error *error)
{
	return error_set(error, SIMHASH_E_MEMORY, "out of memory");
}

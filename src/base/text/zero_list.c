/*
 * Detects a list of lines where a list with zero bytes is expected.
 * SPDX-License-Identifier: MIT
 */
#include "base/text/zero_list.h"

#include <string.h>

#include "base/basic/error.h"
#include "base/text/escape.h"

#define SHOWN 60 /* bytes of a list */

/* Return the size of the beginning to show; no character is cut. */
static size_t shown_size(struct bytes text)
{
	size_t size = 0;

	while (size < text.size) {
		size_t length = utf8_length((struct bytes){text.data + size, text.size - size});
		if (size + (length == 0 ? 1 : length) > SHOWN)
			break;
		size += length == 0 ? 1 : length;
	}
	return size;
}

int refuse_lines(const char *from, struct bytes list, struct simhash_error *error)
{
	size_t size = shown_size(list);

	if (memchr(list.data, '\n', list.size) == NULL)
		return 0;
	return error_set(error, SIMHASH_E_SYNTAX,
			 "%s: names are terminated by newlines; expected zero bytes, as from find "
			 "-print0; found '%.*s'%s",
			 from, (int)size, list.data, size < list.size ? "..." : "");
}

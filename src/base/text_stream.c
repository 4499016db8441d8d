/*
 * Texts that are written by a stream into memory.
 * SPDX-License-Identifier: MIT
 */
#include "base/text_stream.h"

#include <stdlib.h>

int close_text(FILE *stream, char **text)
{
	/* The last allocation may fail, of which glibc tells by the pointer alone. */
	if (fclose(stream) == 0 && *text != NULL)
		return 0;
	free(*text);
	*text = NULL;
	return -1;
}

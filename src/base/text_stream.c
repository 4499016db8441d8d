/*
 * Streams that write into memory.
 * SPDX-License-Identifier: MIT
 */
#include "base/text_stream.h"

#include <stdlib.h>

int close_text(FILE *stream, char **text)
{
	/* When the last allocation fails, glibc reports it only by a NULL pointer. */
	if (fclose(stream) == 0 && *text != NULL)
		return 0;
	free(*text);
	*text = NULL;
	return -1;
}

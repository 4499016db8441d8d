/*
 * Streams that write into memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_TEXT_STREAM_H
#define SIMHASH_BASE_TEXT_STREAM_H

#include <stdio.h>

/*
 * Close a stream of open_memstream(3) that writes to *text, which the caller frees. Returns -1,
 * with *text freed and NULL, when memory was short.
 */
int close_text(FILE *stream, char **text);

#endif

/*
 * Texts that are written by a stream into memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_TEXT_STREAM_H
#define SIMHASH_BASE_TEXT_STREAM_H

#include <stdio.h>

/*
 * End a stream of open_memstream(3) in *text, which is the caller's to free: 0, or -1 when
 * memory did not do for it all, with *text freed and NULL.
 */
int close_text(FILE *stream, char **text);

#endif

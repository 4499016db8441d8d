/*
 * Collects pieces of text before they are written to a stream, and formats numbers much faster than
 * fprintf(3).
 *
 *     struct line_buffer line = {.out = stdout};
 *
 *     line_put(&line, "{\"percent\":");
 *     line_put_millionths(&line, 12.5);       // 12.500000
 *     line_put(&line, "}\n");
 *     line_flush(&line);
 *
 * A full buffer is written to the stream, so nothing is cut. The caller checks the error state of
 * the stream.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_LINE_BUFFER_H
#define SIMHASH_BASE_LINE_BUFFER_H

#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"

struct line_buffer {
	FILE *out;
	size_t size;
	char text[512];
};

void line_put_bytes(struct line_buffer *line, struct bytes bytes);
void line_put_unsigned(struct line_buffer *line, uint64_t value);
void line_put_signed(struct line_buffer *line, int64_t value);
void line_put_hex(struct line_buffer *line, struct bytes bytes);

/* Write the same bytes as "%.6f". */
void line_put_millionths(struct line_buffer *line, double value);

void line_flush(struct line_buffer *line);

static inline void line_put(struct line_buffer *line, const char *text)
{
	line_put_bytes(line, bytes_of(text));
}

#endif

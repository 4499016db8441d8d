/*
 * Measures the cover: how many bytes of one file are found in another file. The windows of one file
 * are indexed by their hash and searched in the other file. Every match is extended in both
 * directions as far as possible.
 *
 *     struct cover_source a = {.bytes = a_bytes, .fd = -1, .size = a_size};
 *     struct cover_source b = {.bytes = b_bytes, .fd = -1, .size = b_size};
 *     struct cover_index index;
 *     size_t found;
 *
 *     if (cover_index_init(&index, &a, &error) != 0)
 *             return -1;
 *     found = cover_measure(&index, &a, &b, 0);
 *     cover_index_release(&index);
 *
 * A byte counts at most once. A counted byte is in a stretch of at least 16 bytes (8 in small
 * files) that occurs in both files, or it continues such a stretch across single bytes that differ.
 * If a stretch of 40 bytes (16 in small files) occurs in both files, its bytes are always counted,
 * or other bytes that it overlaps are counted instead.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_COVER_H
#define SIMHASH_FIND_COVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/data/slots.h"
#include "simhash.h"

#define COVER_WINDOW_BYTES ((size_t)4 << 20)
#define COVER_PAGES 64
#define COVER_PAGE_BYTES ((size_t)8192)
#define COVER_BUFFER_BYTES (COVER_WINDOW_BYTES + COVER_PAGES * COVER_PAGE_BYTES)

/* The bytes of a file, in memory or read when needed. */
struct cover_source {
	const uint8_t *bytes; /* all bytes; NULL: read them from `fd` */
	int fd;
	size_t size;
	/* If `bytes` is NULL: a window that is read in sequence, and pages from other places. */
	uint8_t *window; /* COVER_BUFFER_BYTES, including the pages at its end */
	size_t window_start, window_size, page_end;
	size_t page_at[COVER_PAGES], page_size[COVER_PAGES]; /* size 0: the page is free */
	int failed; /* an errno, or -1 if the file ended too early */
};

struct cover_index {
	struct slots slots; /* the position in steps, from 1 */
	size_t step, width;
	uint64_t factors[2]; /* factors for the hash */
};

/* The size of the index of a file. Large files have fewer indexed positions per byte. */
size_t cover_index_bytes(size_t size);

int cover_index_init(struct cover_index *index, struct cover_source *source,
		     struct simhash_error *error);
void cover_index_release(struct cover_index *index);

/*
 * Returns the number of bytes of b that are found in a, whose index is given. If they cannot reach
 * `needed`, or if a sample of 64 places of b finds far fewer, it returns early with the bytes found
 * so far. Sets `failed` of a source that cannot be read.
 */
size_t cover_measure(const struct cover_index *index, struct cover_source *a,
		     struct cover_source *b, double needed);

/* Are two files of equal size identical? False also if one of them cannot be read. */
bool cover_equal(struct cover_source *a, struct cover_source *b);

#endif

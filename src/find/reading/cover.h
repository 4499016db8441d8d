/*
 * Measures the cover: how many bytes of one file are found in another. Windows of one file are
 * indexed by their hash; the other file is searched for them, and every match is extended to both
 * sides as far as possible.
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
 * A byte in a common stretch of 40 bytes (16 in small files) is always counted, or another byte
 * that the same stretch overlaps is counted instead.
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

/* The bytes of a file, in memory or read as they are needed. */
struct cover_source {
	const uint8_t *bytes; /* all of them; NULL: read them from `fd` */
	int fd;
	size_t size;
	/* Where `bytes` is NULL: a window that is read in sequence, and pages from elsewhere. */
	uint8_t *window; /* COVER_BUFFER_BYTES, with the pages at its end */
	size_t window_start, window_size, page_end;
	size_t page_at[COVER_PAGES], page_size[COVER_PAGES]; /* size 0: free */
	int failed; /* an errno, or -1 where the file ended too soon */
};

struct cover_index {
	struct slots slots; /* positions by step, from 1 */
	size_t step, width;
	uint64_t factors[2]; /* of the hash */
};

/* The size of the index of a file. Large files are indexed more sparsely. */
size_t cover_index_bytes(size_t size);

int cover_index_init(struct cover_index *index, struct cover_source *source,
		     struct simhash_error *error);
void cover_index_release(struct cover_index *index);

/*
 * Returns how many bytes of b are found in a, which the index is of. Returns early, with what was
 * found so far, when they cannot reach `needed`, or when a sample of 64 places of b shows that
 * they are far fewer. Sets `failed` of a source that cannot be read.
 */
size_t cover_measure(const struct cover_index *index, struct cover_source *a,
		     struct cover_source *b, double needed);

/* Are two files of equal size the same? False also where one cannot be read. */
bool cover_equal(struct cover_source *a, struct cover_source *b);

#endif

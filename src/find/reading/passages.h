/*
 * Finds passages in a stream of bytes. A passage is a content of at least 16 bytes. The result for
 * each passage is the densest region of the stream: the shortest one of those that have the most
 * different shingles of the passage within twice its size.
 *
 *     passages_add(&passages, bytes, size, &error);           // for each passage
 *     passages_end(&passages, &error);
 *     ...
 *     passage_scan_init(&scan, &passages, &error);            // for each thread
 *     passage_scan_begin(&scan);                              // for each stream
 *     while ((size = read(fd, passage_scan_room(&scan, &room), room)) > 0)
 *             passage_scan_add(&scan, size, &error);
 *     passage_scan_end(&scan, &error);
 *     region = passage_scan_region(&scan, number);            // of each passage
 *     passage_scan_release(&scan);
 *     passages_release(&passages);
 *
 * All shingles of the stream are compared, but only one word of eight bytes is examined for eight
 * bytes of the stream: each shingle has such a word, and a bitmap has the words of all passages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PASSAGES_H
#define SIMHASH_FIND_PASSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/data/slots.h"
#include "simhash.h"

#define PASSAGE_SHINGLE ((size_t)16)

struct passage {
	const uint8_t *bytes; /* borrowed */
	size_t size;
	/*
	 * The number of different shingles that are searched. They are all shingles, or of a long
	 * passage a sample, and some at its ends.
	 */
	uint32_t shingles;
};

/* All zero at the beginning, except `sampled`. Scans only read it. */
struct passages {
	/* Search about this many shingles of a longer passage; 0: all of a short FILE. */
	size_t sampled;
	struct passage *items;
	size_t count, capacity;
	struct shingle *shingles; /* each use of a shingle by a passage */
	size_t shingle_count, shingle_capacity;
	struct slots slots;
	uint64_t *filter, factor;
	unsigned filter_bits;
};

/* A passage of fewer than 16 bytes is never found. Error: SIMHASH_E_MEMORY. */
int passages_add(struct passages *passages, const uint8_t *bytes, size_t size,
		 struct simhash_error *error);
/* Call it after the last passage. Error: SIMHASH_E_MEMORY. */
int passages_end(struct passages *passages, struct simhash_error *error);
void passages_release(struct passages *passages);

/* Where a passage is in the stream: from the first byte to the byte after the last one. */
struct passage_region {
	uint64_t begin, end;
	uint32_t shared; /* different shingles; 0: there is none */
	uint32_t seen;	 /* different shingles in the whole stream */
};

struct passage_scan {
	const struct passages *passages;
	struct passage_region *regions; /* of each passage */
	uint32_t *touched;		/* the passages with at least one shingle in the stream */
	size_t touched_count;
	struct passage_window *windows;
	uint8_t *buffer;
	uint64_t at;	   /* the place of the buffer in the stream, a multiple of 8 */
	size_t have, next; /* the bytes in the buffer, and the next word to examine */
};

/* Error: SIMHASH_E_MEMORY. Release the scan also after an error. */
int passage_scan_init(struct passage_scan *scan, const struct passages *passages,
		      struct simhash_error *error);
void passage_scan_release(struct passage_scan *scan);

void passage_scan_begin(struct passage_scan *scan);
/* Where to write the next bytes of the stream: at least 64 KiB, and 64 bytes more. */
uint8_t *passage_scan_room(struct passage_scan *scan, size_t *room);
/* `size` bytes were written to the room. Error: SIMHASH_E_MEMORY. */
int passage_scan_add(struct passage_scan *scan, size_t size, struct simhash_error *error);
int passage_scan_end(struct passage_scan *scan, struct simhash_error *error);

/* The region of a passage, or NULL if the stream has none of its shingles. */
const struct passage_region *passage_scan_region(const struct passage_scan *scan, size_t number);

#endif

/*
 * A packed row, which waits to be sorted: the data of a file that finding needs, in as few bytes as
 * its numbers need. It has some 300 bytes, and the sketch takes 128 of them.
 *
 *     size = packed_row_size(&file);
 *     packed_row_write((struct packed_row *)(void *)bytes, &file);    // aligned to 8
 *     packed_row_read(row, &file);            // file.display is borrowed from the row
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PACKED_ROW_H
#define SIMHASH_FIND_PACKED_ROW_H

#include "find/rule/file.h"

/* Followed by the numbers, the counts, the sketch, and what is displayed. */
struct packed_row {
	int64_t uniform, host; /* the order of rows is by these and by path_hash */
	uint8_t path_hash[PATH_HASH_SIZE], content_hash[CONTENT_HASH_SIZE];
	uint32_t size; /* of all, in bytes: a multiple of 8 */
	uint32_t display_size, path_offset, extension_hash, tolerance;
	uint16_t widths; /* two bits for each number: 0, 4 or 8 bytes */
	uint8_t count_width;
	uint8_t flags; /* sides in the two lowest bits */
};

/* Below 0, 0 or above: the order of the index of uniform. */
static inline int packed_row_compare(const struct packed_row *x, const struct packed_row *y)
{
	if (x->uniform != y->uniform)
		return x->uniform < y->uniform ? -1 : 1;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);
}

/* The largest key uniform that a file similar to this one can have. */
int64_t packed_row_end_of_reach(const struct packed_row *row);

size_t packed_row_size(const struct find_file *file);
void packed_row_write(struct packed_row *row, const struct find_file *file);
void packed_row_read(const struct packed_row *row, struct find_file *file);

#endif

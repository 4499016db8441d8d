/*
 * Packs the data of a file that a search needs into a row for sorting, where each number takes only
 * the bytes that it needs. A row has about 300 bytes; 128 or 144 of them are the sketch.
 *
 *     size = packed_row_size(&file);
 *     packed_row_write((struct packed_row *)(void *)bytes, &file);    // aligned to 8
 *     packed_row_read(row, &file);            // file.display points into the row
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_PACKED_ROW_H
#define SIMHASH_FIND_PACKED_ROW_H

#include "find/rule/file.h"

/* Followed by the numbers, the counts, the sketch, and the displayed name. */
struct packed_row {
	int64_t uniform, host; /* rows are sorted by these and by path_hash */
	uint8_t path_hash[PATH_HASH_SIZE], content_hash[CONTENT_HASH_SIZE];
	uint32_t size; /* the total size in bytes: a multiple of 8 */
	uint32_t display_size, path_offset, extension_hash, tolerance;
	uint32_t widths; /* two bits for each number: 0, 4 or 8 bytes */
	uint8_t count_width;
	uint8_t flags; /* sides in the two lowest bits */
};

/* Compares rows in the order of the index of uniform: negative, 0 or positive. */
static inline int packed_row_compare(const struct packed_row *x, const struct packed_row *y)
{
	if (x->uniform != y->uniform)
		return x->uniform < y->uniform ? -1 : 1;
	if (x->host != y->host)
		return x->host < y->host ? -1 : 1;
	return memcmp(x->path_hash, y->path_hash, PATH_HASH_SIZE);
}

/* The largest key uniform of any file similar to this one. */
int64_t packed_row_end_of_reach(const struct packed_row *row);

size_t packed_row_size(const struct find_file *file);
void packed_row_write(struct packed_row *row, const struct find_file *file);
void packed_row_read(const struct packed_row *row, struct find_file *file);

#endif

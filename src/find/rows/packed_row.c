/*
 * Packs and unpacks rows: each number takes only the bytes that it needs.
 * SPDX-License-Identifier: MIT
 */
#include "find/rows/packed_row.h"

#include "core/resemblance.h"

#include <stddef.h>

enum { NUMBERS = 12, REACH = 2 };

/* Flags after the bits of the sides. */
enum {
	HAS_SKETCH = 4,
	IS_LOCAL = 8,
	IS_STREAM = 16,
	HAS_RANDOM_COUNTS = 32,
	IS_TEXT = 64,
	IS_WIDE = 128
};

static void take_numbers(const struct find_file *file, int64_t numbers[NUMBERS])
{
	numbers[0] = file->size_bytes;
	numbers[1] = file->mtime_ns;
	numbers[REACH] = file->reach;
	numbers[3] = file->swept_reach;
	numbers[4] = file->key;
	numbers[5] = file->device;
	numbers[6] = file->inode;
	numbers[7] = file->compressed_size_bytes;
	numbers[8] = file->document_bytes;
	numbers[9] = file->dates.changed_ns;
	numbers[10] = file->dates.created_ns;
	numbers[11] = file->dates.revision;
}

static void give_numbers(const int64_t numbers[NUMBERS], struct find_file *file)
{
	file->size_bytes = numbers[0];
	file->mtime_ns = numbers[1];
	file->reach = numbers[REACH];
	file->swept_reach = numbers[3];
	file->key = numbers[4];
	file->device = numbers[5];
	file->inode = numbers[6];
	file->compressed_size_bytes = numbers[7];
	file->document_bytes = numbers[8];
	file->dates = (struct document_dates){numbers[9], numbers[10], numbers[11]};
}

/* The width of a number in units of 4 bytes. */
static unsigned number_width(int64_t number)
{
	return number == 0 ? 0 : (uint64_t)number <= UINT32_MAX ? 1 : 2;
}

/* The width of each count in bytes. */
static unsigned count_width(const struct simhash_sum_table *table)
{
	uint64_t all = 0;

	for (int t = 0; t < SIMHASH_TAGS; t++)
		all |= table->count[t];
	return all <= UINT8_MAX ? 1 : all <= UINT16_MAX ? 2 : all <= UINT32_MAX ? 4 : 8;
}

size_t packed_row_size(const struct find_file *file)
{
	int64_t numbers[NUMBERS];
	size_t size = sizeof(struct packed_row) + SIMHASH_TAGS * count_width(&file->table) +
		      file->display_size + 1;

	take_numbers(file, numbers);
	for (int i = 0; i < NUMBERS; i++)
		size += number_width(numbers[i]) * sizeof(uint32_t);
	if (file->has_sketch)
		size += resemblance_stored_size(&file->sketch);
	return (size + 7) / 8 * 8;
}

static uint8_t *write_counts(uint8_t *write, const uint64_t *counts, unsigned width)
{
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		uint8_t byte = (uint8_t)counts[t];
		uint16_t two = (uint16_t)counts[t];
		uint32_t four = (uint32_t)counts[t];
		const void *value = width == 1	 ? &byte
				    : width == 2 ? (const void *)&two
				    : width == 4 ? (const void *)&four
						 : (const void *)&counts[t];
		memcpy(write, value, width);
		write += width;
	}
	return write;
}

void packed_row_write(struct packed_row *row, const struct find_file *file)
{
	uint8_t *write = (uint8_t *)(row + 1);
	int64_t numbers[NUMBERS];

	*row = (struct packed_row){
		.uniform = file->uniform,
		.host = file->host,
		.size = (uint32_t)packed_row_size(file),
		.display_size = file->display_size,
		.path_offset = file->path_offset,
		.extension_hash = file->extension_hash,
		.tolerance = file->tolerance,
		.count_width = (uint8_t)count_width(&file->table),
		.flags = (uint8_t)(file->sides | (file->has_sketch ? HAS_SKETCH : 0) |
				   (resemblance_is_text(&file->sketch) ? IS_TEXT : 0) |
				   (file->is_local ? IS_LOCAL : 0) |
				   (file->is_stream ? IS_STREAM : 0) |
				   (file->has_random_counts ? HAS_RANDOM_COUNTS : 0) |
				   (file->is_wide ? IS_WIDE : 0))};
	memcpy(row->path_hash, file->path_hash, PATH_HASH_SIZE);
	memcpy(row->content_hash, file->content_hash, CONTENT_HASH_SIZE);
	take_numbers(file, numbers);
	for (unsigned i = 0; i < NUMBERS; i++) {
		unsigned width = number_width(numbers[i]);
		uint32_t low = (uint32_t)numbers[i];
		row->widths |= width << 2 * i;
		memcpy(write, width == 2 ? (const void *)&numbers[i] : &low, width * sizeof low);
		write += width * sizeof low;
	}
	write = write_counts(write, file->table.count, row->count_width);
	if (file->has_sketch) {
		size_t size = resemblance_stored_size(&file->sketch);
		memcpy(write, &file->sketch, size);
		write += size;
	}
	memcpy(write, file->display, (size_t)file->display_size + 1);
}

static const uint8_t *read_numbers(const uint8_t *read, unsigned widths, int64_t numbers[NUMBERS])
{
	for (unsigned i = 0; i < NUMBERS; i++, widths >>= 2) {
		uint32_t low = 0;
		numbers[i] = 0;
		if ((widths & 3) == 1) {
			memcpy(&low, read, sizeof low);
			numbers[i] = low;
			read += sizeof low;
		} else if ((widths & 3) == 2) {
			memcpy(&numbers[i], read, sizeof numbers[i]);
			read += sizeof numbers[i];
		}
	}
	return read;
}

int64_t packed_row_end_of_reach(const struct packed_row *row)
{
	const uint8_t *read = (const uint8_t *)(row + 1);
	unsigned widths = row->widths;
	int64_t reach = 0, end;
	uint32_t low = 0;

	for (unsigned i = 0; i < REACH; i++, widths >>= 2)
		read += (widths & 3) * sizeof low;
	if ((widths & 3) == 2)
		memcpy(&reach, read, sizeof reach);
	else if ((widths & 3) == 1)
		memcpy(&low, read, sizeof low);
	reach += low;
	return __builtin_add_overflow(row->uniform, reach, &end) ? INT64_MAX : end;
}

/* There is one loop for each width, because the compiler can turn these loops into vector code. */
static const uint8_t *read_counts(const uint8_t *read, unsigned width, uint64_t *counts)
{
	uint16_t two[SIMHASH_TAGS];
	uint32_t four[SIMHASH_TAGS];

	switch (width) {
	case 1:
		for (int t = 0; t < SIMHASH_TAGS; t++)
			counts[t] = read[t];
		break;
	case 2:
		memcpy(two, read, sizeof two);
		for (int t = 0; t < SIMHASH_TAGS; t++)
			counts[t] = two[t];
		break;
	case 4:
		memcpy(four, read, sizeof four);
		for (int t = 0; t < SIMHASH_TAGS; t++)
			counts[t] = four[t];
		break;
	default:
		memcpy(counts, read, SIMHASH_TAGS * sizeof *counts);
	}
	return read + (size_t)width * SIMHASH_TAGS;
}

void packed_row_read(const struct packed_row *row, struct find_file *file)
{
	const uint8_t *read = (const uint8_t *)(row + 1);
	int64_t numbers[NUMBERS];

	memset(file, 0, offsetof(struct find_file, sketch));
	read = read_numbers(read, row->widths, numbers);
	read = read_counts(read, row->count_width, file->table.count);
	give_numbers(numbers, file);
	file->uniform = row->uniform;
	file->host = row->host;
	memcpy(file->path_hash, row->path_hash, PATH_HASH_SIZE);
	memcpy(file->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	file->display_size = row->display_size;
	file->path_offset = row->path_offset;
	file->extension_hash = row->extension_hash;
	file->tolerance = row->tolerance;
	file->sides = row->flags & (SIDE_A | SIDE_B);
	file->has_sketch = (row->flags & HAS_SKETCH) != 0;
	file->is_local = (row->flags & IS_LOCAL) != 0;
	file->is_stream = (row->flags & IS_STREAM) != 0;
	file->has_random_counts = (row->flags & HAS_RANDOM_COUNTS) != 0;
	file->is_wide = (row->flags & IS_WIDE) != 0;
	memset(file->sketch.text, 0, sizeof file->sketch.text);
	if (file->has_sketch) {
		size_t size = (row->flags & IS_TEXT) != 0 ? RESEMBLANCE_STORED_TEXT_SIZE
							  : RESEMBLANCE_STORED_SIZE;
		memcpy(&file->sketch, read, size);
		read += size;
	} else {
		memset(file->sketch.registers, 0, sizeof file->sketch.registers);
	}
	file->display = (const char *)read;
}

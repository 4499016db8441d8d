/*
 * Counts, hashes and sketches a content.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/content.h"

#include <string.h>

#include "core/piece.h"
#include "core/resemblance.h"
#include "scan/file/content_hash.h"
#include "store/row/file_row.h"

void content_begin(struct content *content, struct file_scanner *scanner, struct file_row *row)
{
	content->scanner = scanner;
	content->row = row;
	simhash_scanner_init(&content->counts, scanner->tag_set);
	XXH3_128bits_reset(scanner->hash);
	sketching_begin(&scanner->sketching);
	row->size_bytes = 0;
	row->has_resemblance = false;
	row->pieces_made = 0;
	row->dates = (struct document_dates){.revision = 0};
	simhash_resemblance_scanner_begin(scanner->resemblance);
}

/* A content that fits into the buffer is sketched without a copy, unless it is a text. */
static void resemblance_update(struct content *content, size_t size, bool is_last)
{
	struct file_scanner *scanner = content->scanner;
	struct file_row *row = content->row;

	if (scanner->no_resemblance)
		return;
	row->has_resemblance = row->size_bytes == 0 && is_last;
	if (row->has_resemblance)
		resemblance_scanner_compute(scanner->resemblance, scanner->buffer, size,
					    &row->resemblance);
	else
		simhash_resemblance_scanner_update(scanner->resemblance, scanner->buffer, size);
}

void content_add(struct content *content, size_t size, bool is_last)
{
	struct file_scanner *scanner = content->scanner;

	XXH3_128bits_update(scanner->hash, scanner->buffer, size);
	sketching_add(&scanner->sketching, scanner->buffer, size);
	resemblance_update(content, size, is_last);
	simhash_scanner_update(&content->counts, scanner->buffer, size);
	content->row->size_bytes += (int64_t)size;
}

void content_add_zeros(struct content *content, const uint8_t *zeros, size_t size)
{
	struct file_scanner *scanner = content->scanner;

	XXH3_128bits_update(scanner->hash, zeros, size);
	sketching_add(&scanner->sketching, zeros, size);
	if (!scanner->no_resemblance)
		resemblance_scanner_add_zeros(scanner->resemblance, zeros, size);
	scan_zeros(&content->counts, size);
	content->row->size_bytes += (int64_t)size;
}

enum scan_outcome content_end_sketches(struct file_scanner *scanner, struct piece_collector *pieces,
				       struct file_row *row)
{
	struct content_pieces made;
	bool has_pieces = scanner->has_pieces && row->has_resemblance &&
			  piece_collector_finish(pieces, &made);

	row->pieces_made = has_pieces;
	return sketching_end(&scanner->sketching, has_pieces ? &made : NULL, &row->sketches) == 0
		       ? SCAN_DONE
		       : SCAN_FAILED;
}

enum scan_outcome content_scan(struct file_scanner *scanner, const char *bytes, size_t size,
			       struct file_row *row)
{
	struct content content;

	content_begin(&content, scanner, row);
	for (size_t done = 0; done < size;) {
		size_t some = size - done < FILE_SCANNER_BUFFER ? size - done : FILE_SCANNER_BUFFER;
		memcpy(scanner->buffer, bytes + done, some);
		done += some;
		content_add(&content, some, done == size);
	}
	return content_end(&content);
}

enum scan_outcome content_end(struct content *content)
{
	struct file_scanner *scanner = content->scanner;
	struct file_row *row = content->row;

	simhash_scanner_finish(&content->counts, &row->table);
	row_compute_keys(row, scanner->tag_set);
	content_hash_store(scanner->hash, row->content_hash);
	if (!scanner->no_resemblance && !row->has_resemblance) {
		simhash_resemblance_scanner_finish(scanner->resemblance, &row->resemblance);
		row->has_resemblance = true;
	}
	return content_end_sketches(scanner, scanner->pieces, row);
}

/*
 * Scans one content, piece by piece, in one pass: its counts, its hash and its sketches.
 *
 *     content_begin(&content, scanner, row);
 *     ... fill scanner->buffer
 *     content_add(&content, size, is_last);
 *     outcome = content_end(&content);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_CONTENT_H
#define SIMHASH_SCAN_CONTENT_H

#include <stdbool.h>
#include <stddef.h>

#include "scan/file/file_scanner.h"

struct content {
	struct file_scanner *scanner;
	struct simhash_scanner counts;
	struct file_row *row;
};

/* `row->name` must be set, for its extension. A content need not be ended. */
void content_begin(struct content *content, struct file_scanner *scanner, struct file_row *row);

/*
 * Add the next `size` bytes, which are in the scanner's buffer. `is_last`: it is certain that no
 * bytes follow.
 */
void content_add(struct content *content, size_t size, bool is_last);

/* The same for a part of a hole, after the first bytes. `zeros` are its bytes. */
void content_add_zeros(struct content *content, const uint8_t *zeros, size_t size);

/* Complete the row. Returns SCAN_DONE, or SCAN_FAILED with errno. */
enum scan_outcome content_end(struct content *content);

/*
 * Complete the sketches of a row. `pieces` has the pieces of its content, unless they were not
 * collected or the row has no resemblance sketch. Returns the same.
 */
enum scan_outcome content_end_sketches(struct file_scanner *scanner, struct piece_collector *pieces,
				       struct file_row *row);

/* Do all of this for bytes in memory. */
enum scan_outcome content_scan(struct file_scanner *scanner, const char *bytes, size_t size,
			       struct file_row *row);

#endif

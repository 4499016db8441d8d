/*
 * The scan of one content, piece by piece, in one pass: its counts, its hash and its sketches.
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

#define LED_FROM \
	(INT64_C(16) << 20) /* bytes from which a content is worth the memory of its units */

struct content {
	struct file_scanner *scanner;
	struct simhash_scanner counts;
	struct file_row *row;
	bool is_led; /* others scan it, too */
	size_t seam; /* bytes that the resemblance scanner has got of what they scan */
};

/* `row->name` is set, for its extension. A content that is not ended can be left. */
void content_begin(struct content *content, struct file_scanner *scanner, struct file_row *row);

/*
 * The next bytes, which are in the scanner's buffer; what follows is to be in scanner->buffer as it
 * is then. `is_last`: it is known that none follow. Of a large content, threads of the scanner's crew
 * that have no file left scan what is beyond its first LED_FROM bytes.
 */
void content_add(struct content *content, size_t size, bool is_last);

/* Complete the row: SCAN_DONE, or SCAN_FAILED with errno. */
enum scan_outcome content_end(struct content *content);

/* All of this for bytes in memory. */
enum scan_outcome content_scan(struct file_scanner *scanner, const char *bytes, size_t size,
			       struct file_row *row);

#endif

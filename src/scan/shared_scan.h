/*
 * One large file scanned by several threads.
 *
 * The file is cut into units. Each thread takes the next unit, reads it, waits
 * for its turn to hash it, since the hash of the content is one over all bytes
 * in order, and scans it as a piece. Pieces are appended in order, by whoever
 * has the next one. One thread leads: it opens the file before and completes its
 * row after; others help as long as there are units, and may come late.
 *
 * Memory is bounded: no thread runs ahead of what is appended by more than
 * SHARED_AHEAD units.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_SHARED_SCAN_H
#define SIMHASH_SCAN_SHARED_SCAN_H

#include "scan/scan_file.h"

#define SHARED_FROM (INT64_C(16) << 20) /* bytes of a file worth the help of others */
#define SHARED_AHEAD 32

struct shared_scan;

/* With `references` to let go of by shared_scan_drop. NULL when memory is short. */
struct shared_scan *shared_scan_new(unsigned references);
void shared_scan_drop(struct shared_scan *shared); /* NULL is fine */

/*
 * Lead the scan of an open file: like scan_bytes in scan_file.c. All helpers
 * have left it when this returns.
 */
enum scan_outcome shared_scan_lead(struct shared_scan *shared, struct file_scanner *scanner, int fd,
				   int64_t expected, struct file_row *row);

/* There will be nothing to help with. Does nothing after shared_scan_lead. */
void shared_scan_cancel(struct shared_scan *shared);

/* Help until there are no more units to take. Waits for the leader to begin or cancel. */
void shared_scan_help(struct shared_scan *shared, struct file_scanner *scanner);

#endif

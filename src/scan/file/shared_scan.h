/*
 * Scans one large file with several threads.
 *
 * The file is cut into units. Each thread takes the next unit, reads it, waits for its turn to hash
 * it, since the hash is over all bytes in order, and scans it as a piece. The thread that has the
 * next piece appends it, so pieces are appended in order. One thread leads: it opens the file and
 * completes its row. The others help as long as there are units, and may come late.
 *
 * Each thread gathers the resemblance sketch of its units in its own registers, which are merged
 * when it leaves. Shingles cross the seams, so a unit is read with the first bytes of the next one.
 * If a program writes to the file meanwhile, these bytes may differ when the next unit is read.
 * Then the row gets no sketch.
 *
 * Memory is bounded: no thread is more than SHARED_AHEAD units ahead of the appended pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_SHARED_SCAN_H
#define SIMHASH_SCAN_SHARED_SCAN_H

#include "scan/file/file_scanner.h"
#include "store/row/file_row.h"

#define SHARED_FROM (INT64_C(16) << 20) /* bytes from which a file is worth sharing */
#define SHARED_AHEAD 32

struct shared_scan;

/* Has `references`, each of which shared_scan_drop ends. NULL when memory is short. */
struct shared_scan *shared_scan_new(unsigned references);
void shared_scan_drop(struct shared_scan *shared); /* NULL is fine */

/*
 * Lead the scan of an open file, as scan_bytes in scan_file.c does alone. All helpers have left
 * it when this returns.
 */
enum scan_outcome shared_scan_lead(struct shared_scan *shared, struct file_scanner *scanner, int fd,
				   int64_t expected, struct file_row *row);

/* Release the helpers of a scan that never began. Does nothing after shared_scan_lead. */
void shared_scan_cancel(struct shared_scan *shared);

/* Wait for the leader to begin or cancel, then help until no unit is left. */
void shared_scan_help(struct shared_scan *shared, struct file_scanner *scanner);

#endif

/*
 * Scans one large file with several threads.
 *
 * The file is cut into units. Each thread takes the next unit, reads it, waits for its turn to hash
 * it, because the hash is over all bytes in order, and scans it as a piece. The thread with the
 * next piece appends it, so pieces are appended in order. One thread leads: it opens the file and
 * completes its row. The others help as long as there are units, and may join late.
 *
 * Each thread collects the resemblance sketch and the pieces of its units in its own memory, which
 * is merged when it leaves. Shingles span units, so a unit is read with the first bytes of the next
 * unit. If a program writes to the file during the scan, these bytes may differ when the next unit
 * is read. Then the row gets no sketch. The sketch of a text is made by one thread after another,
 * together with the hash, because it is the sketch of its normal form.
 *
 * Memory is limited: no thread is more than SHARED_AHEAD units ahead of the appended pieces.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_SHARED_SCAN_H
#define SIMHASH_SCAN_SHARED_SCAN_H

#include "scan/file/file_scanner.h"
#include "scan/file/reading.h"
#include "store/row/file_row.h"

#define SHARED_FROM (INT64_C(16) << 20) /* the size from which a file is shared */
#define SHARED_AHEAD 32

struct shared_scan;

/* Make a scan with `references` references; shared_scan_drop ends one. NULL if memory is short. */
struct shared_scan *shared_scan_new(unsigned references);
void shared_scan_drop(struct shared_scan *shared); /* NULL is allowed */

/*
 * Lead the scan of an open file, as scan_bytes in scan_file.c does alone. All helpers have left
 * when this returns.
 */
enum scan_outcome shared_scan_lead(struct shared_scan *shared, struct file_scanner *scanner,
				   struct reading *reading, int64_t expected, struct file_row *row);

/* Release the helpers of a scan that did not begin. Does nothing after shared_scan_lead. */
void shared_scan_cancel(struct shared_scan *shared);

/* Wait until the leader begins or cancels, then help until no unit is left. */
void shared_scan_help(struct shared_scan *shared, struct file_scanner *scanner);

#endif

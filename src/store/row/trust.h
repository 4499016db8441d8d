/*
 * Decides by times whether a file may have changed since it was scanned.
 *
 * The kernel stamps times by its tick, up to 10 ms; some file systems by 1 or 2 s. If a file
 * changes within the tick of its scan, it may have the same time before and after the change.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_TRUST_H
#define SIMHASH_STORE_TRUST_H

#include <stdbool.h>
#include <stdint.h>

struct file_identity;

/* Would a file that was changed after its scan have another modification time now? */
bool mtime_shows_changes(int64_t mtime_ns, int64_t scanned_at_ns);

/*
 * A file has the size and the time of its row, but another inode. Is it another file, which was
 * moved here? Where inode numbers last it is. Elsewhere the system may have made up a new one, and
 * the file is another only if its status changed after the scan, as a rename changes it.
 */
bool inode_shows_exchange(bool inodes_last, int64_t changed_ns, int64_t scanned_at_ns);

/*
 * Is this, of the same device, inode, size and modification time, the file that was scanned, under
 * whatever name? Only if nothing of it changed since, or its inode was in use before the scan.
 */
bool is_same_file(const struct file_identity *identity, int64_t scanned_at_ns);

#endif

/*
 * Decides by times whether a file may have changed since it was scanned.
 *
 * The kernel's clock for file times has steps of up to 10 ms; some file systems have steps of 1 or
 * 2 s. If a file changes within the same step as its scan, it may have the same time before and
 * after the change.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_TRUST_H
#define SIMHASH_STORE_TRUST_H

#include <stdbool.h>
#include <stdint.h>

struct file_identity;

/* Would a file that changed after its scan have a different modification time now? */
bool mtime_shows_changes(int64_t mtime_ns, int64_t scanned_at_ns);

/*
 * Had every call that wrote the file probably ended when it was scanned? A call sets the time of the
 * file when it begins, and on a busy system it may write for much longer than a tick. So a file that
 * was scanned within two seconds of its time may have another content now, with the same time.
 */
bool writes_have_ended(int64_t mtime_ns, int64_t scanned_at_ns);

/*
 * A file has the size and time of its row, but another inode. Was another file moved to this path?
 * If the file system never changes inode numbers, yes. Otherwise the system may have made up a new
 * number. Then it is another file only if its status changed after the scan, because renaming
 * changes the status.
 */
bool inode_shows_exchange(bool inodes_last, int64_t changed_ns, int64_t scanned_at_ns);

/*
 * The device, inode, size and modification time are the same. Is this the scanned file, perhaps
 * with another name? It is if nothing about it has changed since the scan, or if its inode was
 * already in use before the scan.
 */
bool is_same_file(const struct file_identity *identity, int64_t scanned_at_ns);

#endif

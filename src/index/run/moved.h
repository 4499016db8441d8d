/*
 * Gives moved and renamed files their old rows, from the files and rows that the walkers have put
 * aside. A row is given to a file with the same device, inode, size and modification time, if
 * is_same_file confirms it. If a file has new names, each of them also gets its row, by the same
 * rule. The other files are scanned. The other rows whose files no longer exist are removed.
 *
 * A file is scanned if there is any doubt: if the rows of one inode have different contents, or if
 * the file system may change inode numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_MOVED_H
#define SIMHASH_INDEX_MOVED_H

#include "index/run/walker.h"

/*
 * After the walk of all roots: decide about everything that was put aside, and pass the work to the
 * feed.
 */
int moved_settle(struct walkers *walkers, struct simhash_error *error);

#endif

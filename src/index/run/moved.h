/*
 * Gives files that were moved or renamed their old rows, from the files and rows that the walkers
 * have put aside. A row goes to a file of the same device, inode, size and modification time that
 * is the same file by is_same_file. If a file has new names, each of them also gets its row, by the
 * same rule. The other files are scanned. The other rows whose files no longer exist are removed.
 *
 * A file is scanned if there is doubt: if the rows of one inode have different contents, and on
 * file systems whose inode numbers do not last.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_MOVED_H
#define SIMHASH_INDEX_MOVED_H

#include "index/run/walker.h"

/* After the walk of all roots: decide about what was put aside, and feed what is to be done. */
int moved_settle(struct walkers *walkers, struct simhash_error *error);

#endif

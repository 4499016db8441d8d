/*
 * Files that were moved or renamed keep their rows: what the walkers have put aside is brought
 * together. A row goes to a file of the same device, inode, size and modification time that is the
 * same file by is_same_file. The row of a file that has got new names is theirs as well, by the same
 * rule. The other files are scanned, the other rows whose files are gone are
 * removed.
 *
 * In doubt a file is scanned: where the rows of one inode tell different contents, and on file
 * systems whose inode numbers do not last.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_MOVED_H
#define SIMHASH_INDEX_MOVED_H

#include "index/run/walker.h"

/* After the walk of all roots: decide about what was put aside, and feed what is to be done. */
int moved_settle(struct walkers *walkers, struct simhash_error *error);

#endif

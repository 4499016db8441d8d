/*
 * Reads the folders of an index from the rows of its files.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDER_READ_H
#define SIMHASH_FIND_FOLDER_READ_H

#include "find/folders/folder_tree.h"

/* Read the rows at or below these directories, or all rows if there are none. */
int folder_tree_read(struct folder_tree *tree, const struct finder *finder,
		     const struct find_side *sides, size_t side_count, struct simhash_error *error);

#endif

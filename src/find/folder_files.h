/*
 * The files of two folders, and which of the one is which of the other.
 *
 *     while (... a row of a folder ...)
 *             folder_files_add(&files, side, below, &row, &paths, &error);
 *     folder_files_match(&files, &comparison, &error);
 *     folder_files_release(&files);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDER_FILES_H
#define SIMHASH_FIND_FOLDER_FILES_H

#include "find/folder_share.h"

struct named_file {
	struct bytes path; /* below the folder */
	uint32_t content;
	int64_t size_bytes;
};

struct named_files {
	struct named_file *files;
	size_t count, capacity;
};

struct folder_files {
	const struct folder_tree *tree;
	struct folder_range ranges[2];
	struct named_files named[2];
};

/*
 * Add a row to a side, whose folder has `above` bytes of the row's directory as its path. The path
 * of the file is in the arena.
 */
int folder_files_add(struct folder_files *files, int side, size_t above,
		     const struct folder_row *row, struct arena *paths,
		     struct simhash_error *error);

/* Put the files of both and their counterparts in the comparison. */
int folder_files_match(struct folder_files *files, struct folder_comparison *comparison,
		       struct simhash_error *error);
void folder_files_release(struct folder_files *files);

#endif

/*
 * Matches the files of two folders: finds for each file its counterpart in the other folder.
 * docs/algorithm.md has the rules.
 *
 *     while (... a row of a folder ...)
 *             folder_files_add(&files, side, below, &row, &paths, &error);
 *     folder_files_match(&files, &comparison, &error);
 *     folder_files_release(&files);
 *     folder_resemblances_find(&finder, &tree, &comparison, 1, &error);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDER_FILES_H
#define SIMHASH_FIND_FOLDER_FILES_H

#include "find/folders/folder_share.h"

struct named_file {
	struct bytes path; /* below the folder */
	uint32_t content;  /* NO_CONTENT: of an empty file, or of one that came since */
	bool is_matched;
	size_t namesake; /* of a file of b: the number of the file of a, from 1, whose match waits */
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

/*
 * Put the files of both and their counterparts in the comparison. Of empty files only those count
 * whose path is that of a file of the other folder that is not empty.
 */
int folder_files_match(struct folder_files *files, struct folder_comparison *comparison,
		       struct simhash_error *error);

/* How alike files at the same path are that no group has together: the rows have their sketches. */
int folder_resemblances_find(struct finder *finder, const struct folder_tree *tree,
			     struct folder_comparison *comparisons, size_t count,
			     struct simhash_error *error);

/* The last name of a path. */
struct bytes last_name(struct bytes path);

/* By content, then by name, then by path, for named_files_first. */
void named_files_sort(struct named_files *named);

/* The first file that is not before this content and name. */
size_t named_files_first(const struct named_files *named, uint32_t content, struct bytes name);

void folder_files_release(struct folder_files *files);

#endif

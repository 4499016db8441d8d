/*
 * Matches the files of two folders: finds for each file its counterpart in the other folder.
 * docs/algorithm.md describes the rules.
 *
 *     while (... a row of a folder ...)
 *             folder_files_add(&files, side, below, &row, &paths, &error);
 *     folder_files_enter_tops(&files, is_archive, tops);    // for two directories
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
	struct bytes path; /* relative to the folder */
	uint32_t content;  /* NO_CONTENT: the file is empty or was added later */
	bool is_matched;
	/*
	 * For a file of b: 1 + the index of the file of a that has the same path and is compared
	 * later.
	 */
	size_t namesake;
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
 * Add a row to a side. The first `above` bytes of the row's directory are the path of the folder.
 * The path of the file is stored in the arena.
 */
int folder_files_add(struct folder_files *files, int side, size_t above,
		     const struct folder_row *row, struct arena *paths,
		     struct simhash_error *error);

/* The most folders, one inside the other, that are tried as the top of an archive. */
#define TOP_FOLDERS_MAX 32

/*
 * If all files of an archive are in one folder, and more files have the same path below this folder,
 * make their paths relative to it. Sets the folder in `tops`, which is borrowed from the arena of
 * the paths; otherwise leaves it unchanged.
 */
void folder_files_enter_tops(struct folder_files *files, const bool is_archive[2],
			     struct bytes tops[2]);

/*
 * Put the files of both folders and their counterparts into the comparison. An empty file is
 * included only if the file at the same path in the other folder is not empty.
 */
int folder_files_match(struct folder_files *files, struct folder_comparison *comparison,
		       struct simhash_error *error);

/*
 * Estimate the resemblance of files at the same path that are not together in a group, from the
 * sketches in their rows.
 */
int folder_resemblances_find(struct finder *finder, const struct folder_tree *tree,
			     struct folder_comparison *comparisons, size_t count,
			     struct simhash_error *error);

/*
 * For the files of two sides without a counterpart and without a similar file: find the files of
 * the other side that contain most of them, or are part of them.
 */
int folder_parts_find(struct finder *finder, const struct folder_tree *tree,
		      const struct find_side sides[2], struct folder_comparison *comparison,
		      struct simhash_error *error);

/* The last name of a path. */
struct bytes last_name(struct bytes path);

/* Sorts by content, then by name, then by path, for named_files_first. */
void named_files_sort(struct named_files *named);

/* The first file that does not come before this content and name. */
size_t named_files_first(const struct named_files *named, uint32_t content, struct bytes name);

void folder_files_release(struct folder_files *files);

#endif

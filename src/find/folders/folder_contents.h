/*
 * Numbers contents and enters files in folders, for folder_tree.h.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDER_CONTENTS_H
#define SIMHASH_FIND_FOLDER_CONTENTS_H

#include "find/folders/folder_tree.h"

struct held_file {
	uint32_t folder, content;
};

/* Get the number of a content, which is added if it is new. */
int content_number(struct folder_tree *tree, int64_t size_bytes,
		   const uint8_t hash[CONTENT_HASH_SIZE], uint32_t *number,
		   struct simhash_error *error);

/* Enter all files in their folders. This sorts `files`. */
int hold_files(struct folder_tree *tree, struct held_file *files, size_t count,
	       struct simhash_error *error);

/* Find the names that belong to one file, and count them. */
void count_names(struct folder_tree *tree);

#endif

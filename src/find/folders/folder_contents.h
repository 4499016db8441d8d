/*
 * Functions for folder_tree.h that number contents and enter files in folders.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDER_CONTENTS_H
#define SIMHASH_FIND_FOLDER_CONTENTS_H

#include "find/folders/folder_tree.h"

struct held_file {
	uint32_t folder, content;
};

/* The number of a content, which is new or was added before. */
int content_number(struct folder_tree *tree, int64_t size_bytes,
		   const uint8_t hash[CONTENT_HASH_SIZE], uint32_t *number,
		   struct simhash_error *error);

/* Hand all files over to their folders. Puts `files` in order. */
int hold_files(struct folder_tree *tree, struct held_file *files, size_t count,
	       struct simhash_error *error);

/* Note which names are of one file, and how many of them there are. */
void count_names(struct folder_tree *tree);

#endif

/*
 * Iterates over a list of files, whose names are each ended by a zero byte, like a walk.
 *
 *     list = file_list_new(fd, root, &options, error);
 *     while ((status = file_list_next(list, &chunk, error)) > 0)
 *             ...
 *     file_list_free(list);
 *
 * Names of one directory that follow each other come together. Directories in the list are counted
 * and passed over, and so are files that the filter leaves out by their names as written in the
 * list.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_FILE_LIST_H
#define SIMHASH_INDEX_FILE_LIST_H

#include "index/walk/walk.h"

struct file_list;

/* The descriptor stays the caller's. NULL when memory is short. */
struct file_list *file_list_new(int fd, const struct root *root, const struct walk_options *options,
				struct simhash_error *error);
void file_list_free(struct file_list *list); /* NULL is fine */

/* See walk_next. Errors besides: SIMHASH_E_SYSTEM for what cannot be read, SIMHASH_E_SYNTAX. */
int file_list_next(struct file_list *list, struct chunk *chunk, struct simhash_error *error);

/* How many directories were passed over, and how many links, pipes and others that are no files. */
uint64_t file_list_directories(const struct file_list *list);
uint64_t file_list_others(const struct file_list *list);

#endif

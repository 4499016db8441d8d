/*
 * Iterates over a list of files, whose names are each terminated by a zero byte, like a walk.
 *
 *     list = file_list_new(fd, root, &options, error);
 *     while ((status = file_list_next(list, &chunk, error)) > 0)
 *             ...
 *     file_list_free(list);
 *
 * Consecutive names of one directory come together. Directories in the list are counted and
 * skipped, and so are files whose names, as written in the list, the filter excludes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_FILE_LIST_H
#define SIMHASH_INDEX_FILE_LIST_H

#include "index/walk/walk.h"

struct file_list;

/* The caller keeps the descriptor. NULL if memory is short. */
struct file_list *file_list_new(int fd, const struct root *root, const struct walk_options *options,
				struct simhash_error *error);
void file_list_free(struct file_list *list); /* NULL is allowed */

/* See walk_next. Also SIMHASH_E_SYSTEM if the list cannot be read, and SIMHASH_E_SYNTAX. */
int file_list_next(struct file_list *list, struct chunk *chunk, struct simhash_error *error);

/*
 * Return how many directories were skipped, and how many links, pipes and others that are not
 * files.
 */
uint64_t file_list_directories(const struct file_list *list);
uint64_t file_list_others(const struct file_list *list);

#endif

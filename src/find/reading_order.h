/*
 * In which order to read the files of pairs.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_READING_ORDER_H
#define SIMHASH_FIND_READING_ORDER_H

#include "find/content_cache.h"

/*
 * Sort pairs of a list so that each file is read once where memory allows: pairs that share files,
 * directly or through others, stand together, and these sets as well as the files in them follow
 * the inodes, which are about the order of the disk. Files that cannot be read are reported now.
 */
int sort_for_reading(struct file_pair **pairs, size_t count, const struct pair_list *list,
		     struct content_cache *cache, struct simhash_error *error);

#endif

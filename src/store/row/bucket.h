/*
 * Computes the bucket of a file: the cell of a grid over sizes and keys. Plain SQL finds all
 * similar pairs by these buckets. The table size_class and the views near_pair and near_file have
 * the same grid, see sql/.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_BUCKET_H
#define SIMHASH_STORE_BUCKET_H

#include "store/row/file_row.h"

int64_t bucket_of(const struct file_row *row);

#endif

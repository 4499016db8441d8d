/*
 * Removes rows from an index by path.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_FORGET_H
#define SIMHASH_INDEX_FORGET_H

#include <stddef.h>
#include <stdint.h>

#include "simhash.h"
#include "store/row/file_row.h"

struct store;

/* Directories whose rows will be removed. */
struct directory_list {
	uint8_t (*hashes)[DIRECTORY_HASH_SIZE]; /* owned */
	size_t count, capacity;
};

int directory_list_add(struct directory_list *list, const uint8_t hash[DIRECTORY_HASH_SIZE],
		       struct simhash_error *error);

/*
 * Remove the directories with all rows of their files. Adds the committed rows to *removed, also on
 * -1.
 */
int directory_list_remove(const struct directory_list *list, struct store *store,
			  const struct row_scope *scope, int64_t *removed,
			  struct simhash_error *error);

/*
 * Remove the rows at and below an absolute path, of one host and one tag set (0: all tag sets).
 * *removed is their number.
 */
int forget_path(struct store *store, int64_t tag_set, int64_t host, const char *path,
		int64_t *removed, struct simhash_error *error);

#endif

/*
 * Writes an index as a digest list, and stores a digest list in an index: docs/digests.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_DIGESTS_H
#define SIMHASH_INDEX_DIGESTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

#include "simhash.h"
#include "store/row/file_row.h"

struct digest_reader;
struct store;

struct digests_export {
	struct store *store;
	struct row_scope scope;
	const struct simhash_tag_set *tag_set; /* the tag set of the scope */
	const struct bytes *tops; /* write only files at or below these absolute paths */
	size_t top_count;	  /* 0: write all files */
	bool is_anonymous;	  /* leave out times, and write hashes instead of paths */
	const atomic_bool *stop;
};

/*
 * Write the rows of a scope as a list, in the order of their path hashes. If *stop is set, the list
 * ends early. *files is the number of written rows. The caller checks the error state of the
 * stream.
 */
int digests_write(const struct digests_export *export, FILE *out, uint64_t *files,
		  struct simhash_error *error);

struct digests_import {
	struct store *store;
	struct row_scope scope;
	struct digest_reader *reader;
	const atomic_bool *stop;
};

/*
 * Store the files of a list. Rows with the same paths are replaced, and other rows stay. *files is
 * the number of stored files, also on -1: the files before a damaged line are stored.
 */
int digests_store(const struct digests_import *import, uint64_t *files,
		  struct simhash_error *error);

#endif

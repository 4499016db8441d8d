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
	const struct simhash_tag_set *tag_set; /* of the scope */
	const struct bytes *tops;	       /* only what is at or below them; absolute paths */
	size_t top_count;		       /* 0: everything */
	bool is_anonymous;		       /* without paths and times */
	const atomic_bool *stop;
};

/*
 * Write the rows of a scope as a list, in the order of their path hashes. Once *stop is set it ends
 * early. *files counts them; the caller checks the error state of the stream.
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
 * Store the files of a list. Rows of the same paths are replaced, others stay. *files counts what
 * is stored, also on -1: a list that is damaged has its first files there.
 */
int digests_store(const struct digests_import *import, uint64_t *files,
		  struct simhash_error *error);

#endif

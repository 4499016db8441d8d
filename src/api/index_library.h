/*
 * Declares the types and functions that the files of this room share: an open index, and the
 * conversions between its searches and src/find.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_API_INDEX_LIBRARY_H
#define SIMHASH_API_INDEX_LIBRARY_H

#include "find/rule/find.h"
#include "simhash_index.h"
#include "store/names/name_list.h"

struct simhash_index {
	struct store *store;
	struct simhash_tag_set *tags;
	int64_t tag_set; /* 0 if the index has no files with this tag set */
	struct name_list hosts;
	char *url, *host;
};

/*
 * Make the request of a search, or of the default search. The caller releases its rule. Error:
 * SIMHASH_E_RANGE.
 */
int index_request_init(struct find_request *request, const struct simhash_index *index,
		       const struct simhash_index_search *search, struct simhash_error *error);

/* `search` may be NULL. */
unsigned index_search_threads(const struct simhash_index_search *search);

/* Describe a file for the caller. The result borrows from the index and from `from`. */
void index_describe(const struct simhash_index *index, const struct find_file *from,
		    struct simhash_index_file *file);

enum simhash_index_verified index_verified_by(enum verification verification);
/* Returns -1 if it is unknown. */
double index_resemblance(const struct relation *relation, bool is_identical);

#endif

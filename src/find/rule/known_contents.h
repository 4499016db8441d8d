/*
 * Reads lists of hashes of known contents, which a search leaves out.
 *
 *     known_contents_init(&known, store, tag_set, &error);
 *     known_contents_read(&known, "known.txt", KNOWN_BY_FORM, &doubt, &error); // for each list
 *     known_contents_end(&known, &error);
 *     request.known = &known;
 *     ...                         // find
 *     known_contents_release(&known);
 *
 * A list of other hashes is compared once with the hashes of the index (simhash --hash) and
 * converted to content hashes, which every row has. The search then looks up each row.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_KNOWN_CONTENTS_H
#define SIMHASH_FIND_KNOWN_CONTENTS_H

#include "base/data/hash_set.h"
#include "lists/known_list.h"
#include "store/row/file_row.h"

struct store;

struct known_contents {
	struct store *store;
	int64_t tag_set;
	int64_t measures[FILE_HASHES]; /* the ids of the hashes that the index has; otherwise 0 */
	struct hash_set hashes[KNOWN_KINDS];
	uint64_t count; /* the number of different hashes */
	size_t bytes;	/* the limit for memory */
};

/* Prepare `known` for one tag set of an index. The caller always releases `known`, also after an error. */
int known_contents_init(struct known_contents *known, struct store *store, int64_t tag_set,
			struct simhash_error *error);

/*
 * Error: the list is damaged, or the index has no hashes of the kinds in the list. *doubt is the
 * reason why the list may be incomplete; see known_list_doubt.
 */
int known_contents_read(struct known_contents *known, const char *path, enum known_format format,
			const char **doubt, struct simhash_error *error);

int known_contents_end(struct known_contents *known, struct simhash_error *error);

/* Use it after known_contents_end, from any thread. */
bool known_contents_have(const struct known_contents *known,
			 const uint8_t content_hash[CONTENT_HASH_SIZE]);

void known_contents_release(struct known_contents *known);

#endif

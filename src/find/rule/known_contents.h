/*
 * Known contents that a search leaves out, from lists of hashes.
 *
 *     known_contents_init(&known, store, tag_set, &error);
 *     known_contents_read(&known, "known.txt", KNOWN_BY_FORM, &doubt, &error); // for each list
 *     known_contents_end(&known, &error);
 *     request.known = &known;
 *     ...                         // find
 *     known_contents_release(&known);
 *
 * A list by other hashes is compared once with the hashes of the index (simhash --hash), and turned
 * into hashes that every row has. Finding then looks up each row, and needs nothing else.
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
	int64_t measures[FILE_HASHES]; /* ids of the hashes that the index has; else 0 */
	struct hash_set hashes[KNOWN_KINDS];
	uint64_t count; /* hashes, each once */
	size_t bytes;	/* of memory, at most */
};

/* Of a tag set of an index. To be released whatever these return. */
int known_contents_init(struct known_contents *known, struct store *store, int64_t tag_set,
			struct simhash_error *error);

/*
 * Error: a list that is damaged, or that has only hashes which the index has of no file. *doubt is why
 * the list may not be whole, as known_list_doubt has it.
 */
int known_contents_read(struct known_contents *known, const char *path, enum known_format format,
			const char **doubt, struct simhash_error *error);

int known_contents_end(struct known_contents *known, struct simhash_error *error);

/* After known_contents_end. Any thread. */
bool known_contents_have(const struct known_contents *known,
			 const uint8_t content_hash[CONTENT_HASH_SIZE]);

void known_contents_release(struct known_contents *known);

#endif

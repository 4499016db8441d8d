/*
 * Defines the hashes that identify a file in a list.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_LISTS_KNOWN_HASHES_H
#define SIMHASH_LISTS_KNOWN_HASHES_H

#include <stddef.h>
#include <stdint.h>

#include "store/row/file_hash.h"
#include "store/row/file_row.h"

/* A kind of hash: a value of enum file_hash, or the hash that every row has. */
#define KNOWN_CONTENT FILE_HASHES
#define KNOWN_KINDS (FILE_HASHES + 1)

/* The hashes of one line, with a bit for each kind in `found`. */
struct known_hashes {
	unsigned found;
	uint8_t hash[KNOWN_KINDS][FILE_HASH_SIZE_MAX];
};

/* Return "md5", "sha1", "sha256" or "xxh128", and the size of the hash in bytes. */
static inline const char *known_kind_name(unsigned kind)
{
	return kind == KNOWN_CONTENT ? "xxh128" : file_hash_names[kind];
}

static inline size_t known_kind_size(unsigned kind)
{
	return kind == KNOWN_CONTENT ? CONTENT_HASH_SIZE : file_hash_size((enum file_hash)kind);
}

#endif

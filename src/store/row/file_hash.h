/*
 * Defines hashes of contents that other programs also use. They are stored in addition to the hash
 * that every row has. They are stored as sketches whose measure has the name of the hash:
 * docs/schema.md.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_FILE_HASH_H
#define SIMHASH_STORE_FILE_HASH_H

#include <stddef.h>

enum file_hash { FILE_HASH_MD5, FILE_HASH_SHA1, FILE_HASH_SHA256, FILE_HASHES };

#define FILE_HASH_SIZE_MAX 32 /* in bytes */

/* The names of the measures, in the order of the enum; NULL ends the list. */
extern const char *const file_hash_names[];

size_t file_hash_size(enum file_hash hash);

#endif

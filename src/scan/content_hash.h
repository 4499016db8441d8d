/*
 * The hash of a file's content: XXH3-128 in its canonical form.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_CONTENT_HASH_H
#define SIMHASH_SCAN_CONTENT_HASH_H

#include <stddef.h>

#include "store/file_row.h"

struct content_hash;

struct content_hash *content_hash_new(void); /* NULL when memory is short */
void content_hash_free(struct content_hash *hash);

/* Begin a new content, add its bytes in order, store its hash. */
void content_hash_begin(struct content_hash *hash);
void content_hash_add(struct content_hash *hash, const void *bytes, size_t size);
void content_hash_end(const struct content_hash *hash, uint8_t result[CONTENT_HASH_SIZE]);

#endif

/*
 * Computes the additional hashes that a run requests; see file_hash.h. Each scanning thread has its
 * own state.
 *
 *     hashing_new(1U << FILE_HASH_SHA256, &hashing, &error);
 *     hashing_begin(hashing);             // for each file
 *     hashing_add(hashing, bytes, size);
 *     hashing_end(hashing, out);          // the bytes of each requested hash
 *     hashing_free(hashing);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_HASHING_H
#define SIMHASH_SCAN_HASHING_H

#include <stdint.h>

#include "simhash.h"
#include "store/row/file_hash.h"

struct hashing;

/* Return the version of the library, or NULL for a build without it. */
const char *hashing_library(void);

/* `wanted` has a bit for each hash. Errors: memory, or a build without the library. */
int hashing_new(unsigned wanted, struct hashing **hashing, struct simhash_error *error);
void hashing_free(struct hashing *hashing); /* NULL is allowed */

void hashing_begin(struct hashing *hashing);
void hashing_add(struct hashing *hashing, const void *bytes, size_t size);

/* Write the hashes one after another, in the order of enum file_hash. */
void hashing_end(struct hashing *hashing, uint8_t *out);

#endif

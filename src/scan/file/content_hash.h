/*
 * Stores the hash of a file's content: XXH3-128 in its canonical form.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_CONTENT_HASH_H
#define SIMHASH_SCAN_CONTENT_HASH_H

#include <string.h>
#include <xxhash.h>
#ifdef SIMHASH_HAVE_XXHASH_DISPATCH
/* Chooses the functions for this processor, which are three times as fast. */
#include <xxh_x86dispatch.h>
#endif

#include "store/row/file_row.h"

static inline void content_hash_store(const XXH3_state_t *state, uint8_t result[CONTENT_HASH_SIZE])
{
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
	memcpy(result, canonical.digest, CONTENT_HASH_SIZE);
}

#endif

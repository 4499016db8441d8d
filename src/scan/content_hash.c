/*
 * The only file of this room that knows xxHash.
 * SPDX-License-Identifier: MIT
 */
#include "scan/content_hash.h"

#include <string.h>
#include <xxhash.h>
#ifdef SIMHASH_HAVE_XXHASH_DISPATCH
#include <xxh_x86dispatch.h> /* the same functions for this processor, three times as fast */
#endif

/* A struct content_hash is an XXH3_state_t under another name. */
static XXH3_state_t *state_of(struct content_hash *hash)
{
	return (XXH3_state_t *)(void *)hash;
}

struct content_hash *content_hash_new(void)
{
	return (struct content_hash *)(void *)XXH3_createState();
}

void content_hash_free(struct content_hash *hash)
{
	XXH3_freeState(state_of(hash));
}

void content_hash_begin(struct content_hash *hash)
{
	XXH3_128bits_reset(state_of(hash));
}

void content_hash_add(struct content_hash *hash, const void *bytes, size_t size)
{
	XXH3_128bits_update(state_of(hash), bytes, size);
}

void content_hash_end(const struct content_hash *hash, uint8_t result[CONTENT_HASH_SIZE])
{
	const XXH3_state_t *state = (const XXH3_state_t *)(const void *)hash;
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
	memcpy(result, canonical.digest, CONTENT_HASH_SIZE);
}

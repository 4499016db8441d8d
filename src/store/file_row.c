/*
 * The hashes by which rows are found.
 * SPDX-License-Identifier: MIT
 */
#include "store/file_row.h"

#include <string.h>
#include <xxhash.h>

static void hash_bytes(struct bytes bytes, uint8_t hash[8])
{
	XXH64_canonical_t canonical;

	XXH64_canonicalFromHash(&canonical, XXH3_64bits(bytes.data, bytes.size));
	memcpy(hash, canonical.digest, 8);
}

void directory_hash(struct bytes directory, uint8_t hash[DIRECTORY_HASH_SIZE])
{
	hash_bytes(directory, hash);
}

void path_hash(const uint8_t directory[DIRECTORY_HASH_SIZE], struct bytes name,
	       uint8_t hash[PATH_HASH_SIZE])
{
	memcpy(hash, directory, DIRECTORY_HASH_SIZE);
	hash_bytes(name, hash + DIRECTORY_HASH_SIZE);
}

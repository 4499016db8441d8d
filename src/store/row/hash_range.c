/*
 * Computes ranges of path hashes.
 * SPDX-License-Identifier: MIT
 */
#include "store/row/hash_range.h"

#include <string.h>

#include "base/basic/error.h"

struct hash_range hash_range_of_directory(const uint8_t directory[DIRECTORY_HASH_SIZE])
{
	struct hash_range range;

	memset(range.low, 0x00, sizeof range.low);
	memset(range.high, 0xff, sizeof range.high);
	memcpy(range.low, directory, DIRECTORY_HASH_SIZE);
	memcpy(range.high, directory, DIRECTORY_HASH_SIZE);
	return range;
}

struct hash_range hash_range_of_file(const uint8_t path_hash[PATH_HASH_SIZE])
{
	struct hash_range range;

	memcpy(range.low, path_hash, PATH_HASH_SIZE);
	memcpy(range.high, path_hash, PATH_HASH_SIZE);
	return range;
}

/* Write the first hash of a part; its first four bytes determine it. */
static void begin_part(unsigned part, unsigned parts, uint8_t hash[PATH_HASH_SIZE])
{
	uint64_t first = ((uint64_t)part << 32) / parts;

	for (int i = 0; i < 4; i++)
		hash[i] = (uint8_t)(first >> (24 - 8 * i));
}

struct hash_range hash_range_of_part(unsigned part, unsigned parts)
{
	struct hash_range range;

	memset(range.low, 0x00, sizeof range.low);
	memset(range.high, 0xff, sizeof range.high);
	begin_part(part, parts, range.low);
	if (part + 1 == parts)
		return range;
	/* The last hash before the next part. */
	begin_part(part + 1, parts, range.high);
	for (int i = 3; i >= 0 && range.high[i]-- == 0; i--)
		;
	return range;
}

bool hash_range_after(const uint8_t *after, const uint8_t *last, struct hash_range *range)
{
	memset(range->low, 0x00, sizeof range->low);
	memset(range->high, 0xff, sizeof range->high);
	if (last != NULL)
		memcpy(range->high, last, sizeof range->high);
	if (after == NULL)
		return true;
	memcpy(range->low, after, sizeof range->low);
	return hash_range_step(range->low);
}

bool hash_range_step(uint8_t low[PATH_HASH_SIZE])
{
	for (int i = PATH_HASH_SIZE - 1; i >= 0; i--)
		if (++low[i] != 0)
			return true;
	return false;
}

int hash_range_check(const uint8_t low[PATH_HASH_SIZE], const uint8_t hash[PATH_HASH_SIZE],
		     struct simhash_error *error)
{
	if (memcmp(hash, low, PATH_HASH_SIZE) >= 0)
		return 0;
	return error_set(error, SIMHASH_E_DATABASE,
			 "table file: its rows are out of order, so the index is damaged");
}

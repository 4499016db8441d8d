/*
 * Lists the hashes by name and size.
 * SPDX-License-Identifier: MIT
 */
#include "store/row/file_hash.h"

const char *const file_hash_names[] = {"md5", "sha1", "sha256", NULL};

size_t file_hash_size(enum file_hash hash)
{
	static const size_t sizes[] = {16, 20, 32};

	return sizes[hash];
}

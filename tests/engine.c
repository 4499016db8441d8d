/*
 * Creates and opens the index of a unit test.
 * SPDX-License-Identifier: MIT
 */
#include "engine.h"
#include "store/open/store.h"
#include "store/row/file_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct store *engine_open_store(enum open_mode mode)
{
	struct store_location where = {.url = getenv("TEST_URL")};
	struct simhash_error error;
	struct store *store;

	if (store_open(&where, mode, &store, &error) != 0)
		fail_msg("%s", error.message);
	return store;
}

struct store *engine_fresh_store(void)
{
	if (system(getenv("TEST_RESET")) != 0)
		fail_msg("cannot reset the index");
	return engine_open_store(OPEN_TO_WRITE);
}

struct file_row engine_row(const char *directory, const char *name, uint64_t seed)
{
	struct file_row row = {.directory = {directory, strlen(directory)},
			       .name = {name, strlen(name)},
			       .extension = {name, 0}};
	uint8_t hash[DIRECTORY_HASH_SIZE];

	directory_hash(row.directory, hash);
	path_hash(hash, row.name, row.path_hash);
	row.size_bytes = (int64_t)(seed % 100000 + 1000);
	row.mtime_ns = (int64_t)seed;
	row.device = -1; /* all bits set: an unsigned number of the system */
	row.inode = INT64_MIN;
	row.links = 1;
	row.scanned_at_ns = INT64_MAX;
	for (int i = 0; i < CONTENT_HASH_SIZE; i++)
		row.content_hash[i] = (uint8_t)(seed >> (i % 8 * 8));
	for (int t = 0; t < SIMHASH_TAGS; t++)
		row.table.count[t] = (seed >> t) % 1000;
	for (int k = 0; k < SIMHASH_KEYS; k++)
		row.keys.key[k] = (int64_t)(seed % 1000003) * (k + 1);
	return row;
}

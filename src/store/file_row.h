/*
 * One file as the index knows it: a row of the table `file`.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_FILE_ROW_H
#define SIMHASH_STORE_FILE_ROW_H

#include <stdint.h>

#include "simhash.h"
#include "store/bytes.h"

#define DIRECTORY_HASH_SIZE 8
#define PATH_HASH_SIZE 16
#define CONTENT_HASH_SIZE 16

/* The three parts of the primary key that are the same for a whole run. */
struct row_scope {
	int64_t tag_set, host;
};

struct file_row {
	int64_t host;
	uint8_t path_hash[PATH_HASH_SIZE];
	struct bytes directory, name, extension; /* extension in lower case */
	int64_t size_bytes, mtime_ns;
	int64_t device, inode; /* the bits of the system's unsigned values */
	uint8_t content_hash[CONTENT_HASH_SIZE];
	int64_t scanned_at_ns; /* when reading began */
	struct simhash_sum_table table;
	struct simhash_keys keys;
};

/* 8 bytes that keep a directory's rows together: XXH3-64 of its path, big-endian. */
void directory_hash(struct bytes directory, uint8_t hash[DIRECTORY_HASH_SIZE]);

/* The directory's hash, then the same of the name. */
void path_hash(const uint8_t directory[DIRECTORY_HASH_SIZE], struct bytes name,
	       uint8_t hash[PATH_HASH_SIZE]);

#endif

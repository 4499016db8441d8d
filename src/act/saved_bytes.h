/*
 * Counts the bytes that an act saves.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_SAVED_BYTES_H
#define SIMHASH_ACT_SAVED_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/data/slots.h"
#include "keep/keep.h"

/* A file with several names, and the number of names that would be removed. */
struct gone_names {
	uint64_t device, inode, names;
};

/* All zero at the beginning. */
struct saved_bytes {
	struct gone_names *gone;
	size_t count, capacity;
	struct slots slots; /* indexes `gone` by device and inode */
};

/*
 * What is saved when this name of a file goes, or becomes another file's. In a run that is not real
 * the names stay, so those that would have gone are counted here. `own_bytes` are shared with no other file.
 */
int saved_bytes_count(struct saved_bytes *counter, enum keep_action action, bool is_real,
		      const struct stat *copy, uint64_t own_bytes, uint64_t *saved,
		      struct simhash_error *error);
void saved_bytes_release(struct saved_bytes *counter);

#endif

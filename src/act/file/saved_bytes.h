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
 * Is the space of a file freed when this name is removed or becomes a name of another file? If the
 * run is not real, the names stay, so the counter remembers the names that would be removed.
 */
int saved_bytes_count(struct saved_bytes *counter, enum keep_action action, bool is_real,
		      const struct stat *copy, bool *is_freed, struct simhash_error *error);
void saved_bytes_release(struct saved_bytes *counter);

#endif

/*
 * Counts removable copies by folder, for the list that simkeep shows without a rule.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REMOVABLE_H
#define SIMHASH_CLI_REMOVABLE_H

#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"
#include "simhash.h"

/* Copies of one folder; at first there is one of these for each copy. */
struct removable_folder {
	struct bytes path;
	uint64_t copies, bytes;
};

/* All zero to begin with. */
struct removable {
	struct removable_folder *folders;
	size_t count, capacity;
};

/* Add a copy. Borrows the path until the release. */
int removable_add(struct removable *removable, const char *path, uint64_t bytes,
		  struct simhash_error *error);

/* Write a line for each folder, the one with the most bytes first. */
void removable_write(struct removable *removable, FILE *out);

void removable_release(struct removable *removable);

#endif

/*
 * Adds up removable copies by folder, for the list that simkeep shows without a rule. A folder
 * whose files are all removable is one entry, with everything below it.
 *
 *     removable_add(&removable, copy, kept, bytes, &error);     // for each copy
 *     removable_add_up(&removable, &error);
 *     removable_write(&removable, &view);
 *     removable_release(&removable);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REMOVABLE_H
#define SIMHASH_CLI_REMOVABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/basic/bytes.h"
#include "simhash.h"

struct removable_copy {
	const char *path, *kept;
	uint64_t bytes;
};

/* What the kept files have in common. */
enum removable_relation {
	COPIES_SCATTERED, /* nothing */
	COPIES_IN_ITSELF, /* the removable folder has them directly in it */
	COPIES_PARTLY_IN, /* another folder has them directly in it */
	COPIES_ALL_IN,	  /* one folder has them, and with them all that the removable folder has */
	COPIES_IDENTICAL  /* the kept folder has the same paths below it, and no other file */
};

struct removable_folder {
	struct bytes path, kept; /* `kept` is empty if the kept files are scattered */
	enum removable_relation relation;
	uint64_t copies, bytes;
	uint64_t files; /* in the folder; 0: not known */
};

/* Why some files cannot be removed. */
struct removable_reason {
	const char *path; /* of the first */
	char *why;
	uint64_t files;
};

#define REASONS_MAX 8 /* the last one also counts further reasons */

/* All zero to begin with. */
struct removable {
	struct removable_copy *copies;
	size_t count, capacity;
	struct removable_folder *folders;
	size_t folder_count, folder_capacity;
	struct removable_reason reasons[REASONS_MAX];
	size_t reason_count;
};

/* Add a copy. Borrows both paths until the release. */
int removable_add(struct removable *removable, const char *path, const char *kept, uint64_t bytes,
		  struct simhash_error *error);

/* Count a file that cannot be removed. Borrows the path until the release. */
void removable_leave(struct removable *removable, const char *path, const char *why);

/* Say on standard error how many files these are, with a line for each reason. */
void removable_say_left(const struct removable *removable);

/* Make the folders, the one with the most bytes first. Reads the directories, and no file. */
int removable_add_up(struct removable *removable, struct simhash_error *error);

/* How folders are shown. */
struct removable_view {
	FILE *out;
	unsigned columns; /* of a terminal; 0: it is a file, which gets whole paths and no limit */
	bool has_colours;
};

void removable_write(const struct removable *removable, const struct removable_view *view);

void removable_release(struct removable *removable);

#endif

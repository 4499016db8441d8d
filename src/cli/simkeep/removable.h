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

/* The place of the kept files of a removable folder. */
enum removable_relation {
	COPIES_SCATTERED, /* the kept files are in several folders */
	COPIES_IN_ITSELF, /* the kept files are directly in the removable folder */
	COPIES_PARTLY_IN, /* the kept files are directly in one other folder */
	/* The kept files are in one folder, which has all files of the removable folder. */
	COPIES_ALL_IN,
	/* The kept files are in a folder with the same paths below it and no other files. */
	COPIES_IDENTICAL
};

struct removable_folder {
	struct bytes path, kept; /* `kept` is empty if the kept files are scattered */
	enum removable_relation relation;
	uint64_t copies, bytes;
	uint64_t files; /* all files in the folder; 0: unknown */
};

/* A reason why some files cannot be removed. */
struct removable_reason {
	const char *path; /* the path of the first file */
	char *why;
	uint64_t files;
};

#define REASONS_MAX 8 /* the number of reasons that are shown, each with its number of files */

/* All zero at the beginning. */
struct removable {
	struct removable_copy *copies;
	size_t count, capacity;
	struct removable_folder *folders;
	size_t folder_count, folder_capacity;
	struct removable_reason reasons[REASONS_MAX];
	size_t reason_count;
	uint64_t others; /* the number of files with other reasons */
};

/* Add a copy. Both paths must stay valid until removable_release. */
int removable_add(struct removable *removable, const char *path, const char *kept, uint64_t bytes,
		  struct simhash_error *error);

/* Count a file that cannot be removed. The path must stay valid until removable_release. */
void removable_leave(struct removable *removable, const char *path, const char *why);

/* Write the number of these files to standard error, one line for each reason. */
void removable_say_left(const struct removable *removable);

/* Make the folders, sorted by their bytes, most first. This reads directories, but no file. */
int removable_add_up(struct removable *removable, struct simhash_error *error);

/* How the folders are written. */
struct removable_view {
	FILE *out;
	/*
	 * The width of a terminal; 0: the output is a file, which gets full paths and all folders.
	 */
	unsigned columns;
	bool has_colours;
};

void removable_write(const struct removable *removable, const struct removable_view *view);

void removable_release(struct removable *removable);

#endif

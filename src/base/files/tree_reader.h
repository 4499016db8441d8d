/*
 * Reads the directories of a tree, one after another, without following links.
 *
 *     const struct tree_reader reader = {.context = &counts, .entry = count_entry, .end = report};
 *
 *     status = tree_read(&reader, bytes_of("/home/ada"), &error);
 *
 * Only the names of directories that wait are in memory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_TREE_READER_H
#define SIMHASH_BASE_TREE_READER_H

#include "base/basic/bytes.h"
#include "base/files/entry_reader.h"
#include "simhash.h"

/* A function that returns -1 ends the walk; it has set the error that the context knows. */
struct tree_reader {
	void *context;
	/* A directory was opened; or NULL. */
	int (*begin)(void *context, const char *directory);
	/* An entry of an open directory. Returns 1: it is a directory that should be read, too. */
	int (*entry)(void *context, const char *directory, int fd, const struct entry *entry);
	/* A directory was read to its end or, with an errno, could not be opened or read. */
	int (*end)(void *context, const char *directory, int system_errno);
};

/* Read the directory `top` and those below it. Errors: SIMHASH_E_MEMORY, or the functions' own. */
int tree_read(const struct tree_reader *reader, struct bytes top, struct simhash_error *error);

#endif

/*
 * Decides whether a file with several names has a name in a protected directory.
 *
 *     struct protected_names names = {.count = 0};
 *     if (protected_names_look(&names, directories, count, &status, &is_found, &why) != 0)
 *             ... // it cannot be told
 *     protected_names_release(&names);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_PROTECTED_NAMES_H
#define SIMHASH_ACT_PROTECTED_NAMES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/basic/bytes.h"
#include "simhash.h"

/* All zero to begin with. */
struct protected_names {
	struct linked_file {
		dev_t device;
		ino_t inode;
	} * files; /* in order */
	size_t count, capacity;
	bool has_looked;
	struct simhash_error failure; /* a directory could not be read, or the message is empty */
};

/*
 * Is the file in one of the directories, which are absolute and each ended by a zero, or below? Files
 * that have one name only are not looked for. The first call goes through the directories. -1 with the
 * reason where one of them cannot be read.
 */
int protected_names_look(struct protected_names *names, const struct bytes *directories,
			 size_t count, const struct stat *file, bool *is_found,
			 struct simhash_error *why);
void protected_names_release(struct protected_names *names);

#endif

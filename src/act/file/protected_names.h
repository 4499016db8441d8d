/*
 * Decides whether a file with several names has a name in a protected directory.
 *
 *     struct protected_names names = {.count = 0};
 *     if (protected_names_look(&names, directories, count, &status, &is_found, &why) != 0)
 *             ... // it is unknown
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

/* All zero at the beginning. */
struct protected_names {
	struct linked_file {
		dev_t device;
		ino_t inode;
	} * files; /* sorted */
	size_t count, capacity;
	bool has_looked;
	/* A directory could not be read; otherwise the message is empty. */
	struct simhash_error failure;
};

/*
 * Does the file have a name at or below one of the directories, which are absolute and each end
 * with a zero? Files with only one name are not searched. The first call reads the directories. -1
 * with the reason if one of them cannot be read.
 */
int protected_names_look(struct protected_names *names, const struct bytes *directories,
			 size_t count, const struct stat *file, bool *is_found,
			 struct simhash_error *why);
void protected_names_release(struct protected_names *names);

#endif

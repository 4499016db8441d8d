/*
 * Reads the archive members that pairs need. All needed members of one archive are read in one
 * pass.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_CONTENT_MEMBERS_H
#define SIMHASH_FIND_CONTENT_MEMBERS_H

#include <sys/stat.h>

#include "find/reading/loaded.h"

struct sandbox;

/* Is it inside a file? So is the text of a document. */
bool content_is_inside(const struct loaded *content);
/* Is it a member of an archive that is not the content of a gzip file? */
bool content_is_member(const struct loaded *content);

/* Link the members of each archive. Some contents may be NULL. Error: SIMHASH_E_MEMORY. */
int content_members_link(struct loaded **contents, size_t count, struct simhash_error *error);

/*
 * Read `first` and the following members of an open archive. This allocates their bytes, and sets
 * whether each member is complete. *why is the reason of a failure, an errno or an enum
 * container_failure, or 0.
 */
void content_members_read(struct loaded *first, struct sandbox *sandbox, int fd,
			  const struct stat *status, int *why);

#endif

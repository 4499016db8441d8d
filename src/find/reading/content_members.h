/*
 * Reads archive members that pairs need, all members of one archive in one passage.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_CONTENT_MEMBERS_H
#define SIMHASH_FIND_CONTENT_MEMBERS_H

#include <sys/stat.h>

#include "find/reading/loaded.h"

struct sandbox;

/* Is it a member of an archive, and not the content of a gzip file? */
bool content_is_member(const struct loaded *content);

/* Link the members of each archive; some contents are NULL. Error: SIMHASH_E_MEMORY. */
int content_members_link(struct loaded **contents, size_t count, struct simhash_error *error);

/*
 * Read members of one open archive, `first` and the next ones to be read: the bytes of each are
 * made, and whether they are whole is set. *why is what was in the way, an errno or an enum
 * container_failure, or 0.
 */
void content_members_read(struct loaded *first, struct sandbox *sandbox, int fd,
			  const struct stat *status, int *why);

#endif

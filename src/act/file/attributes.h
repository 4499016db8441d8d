/*
 * Compares, copies and restores attributes of files, and recognizes attributes that forbid a removal.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_ATTRIBUTES_H
#define SIMHASH_ACT_ATTRIBUTES_H

#include <stdbool.h>
#include <sys/stat.h>

#include "act/journal/journal.h"
#include "place/place.h"

/*
 * Can a name in this directory be removed or replaced? Not if the directory is not writable, append-only or
 * immutable, or if it is sticky and the user owns neither it nor the file. `status` is the status
 * of the file and may be NULL. -1 with the reason.
 */
int check_removal(const struct place *place, const struct stat *status, struct simhash_error *why);

/* Do two files have the same extended attributes, as far as the system shows them? */
bool has_same_attributes(int x, int y);

/*
 * Does `copy` lack an extended attribute of a user, an access list or a capability of `file`, or
 * have another value?
 */
bool lacks_attributes(int file, int copy);

/* Does it have extended attributes or access lists that a program or a user has set? */
bool has_attributes(int fd);

/*
 * Copy the extended attributes of one file to another. With `all`, this includes capabilities and
 * access lists, which only the file's owner and group should have. -1 with errno if some are
 * missing.
 */
int copy_attributes(int from, int to, bool all);

/* Does the file have the owner and the group of the journal? */
bool has_owner(const struct stat *status, const struct journal_file *file);

/*
 * The mode of a restored file. If its owner or group differs, it gets no set-user-ID or
 * set-group-ID bit. If its group differs, the group has no more permissions than all users.
 */
mode_t restored_mode(const struct stat *status, const struct journal_file *file);

/* -1 with errno. */
int restore_times(int fd, const struct journal_file *file);

#endif

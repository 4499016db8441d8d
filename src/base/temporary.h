/*
 * Temporary files: for lists that are larger than memory.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_TEMPORARY_H
#define SIMHASH_BASE_TEMPORARY_H

#include <stdio.h>

#include "simhash.h"

/* In $TMPDIR, or /tmp, without a name any more; NULL with errno. */
FILE *temporary_file(void);

/* -1, with the error of a write or a read by errno. */
int temporary_no_room(struct simhash_error *error);
int temporary_unreadable(struct simhash_error *error);

#endif

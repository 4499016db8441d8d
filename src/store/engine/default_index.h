/*
 * The index that is used if nobody names one: its URL, and the host name of this machine's files.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_DEFAULT_INDEX_H
#define SIMHASH_STORE_DEFAULT_INDEX_H

#include <stdbool.h>

#include "simhash.h"

/*
 * The URL `given`, else $SIMHASH_DATABASE, else that of the user's own SQLite file, whose
 * directories are made with `create`. The caller frees it. Errors: SIMHASH_E_SYNTAX,
 * SIMHASH_E_SYSTEM, SIMHASH_E_MEMORY.
 */
int default_index_url(const char *given, bool create, char **url, struct simhash_error *error);

#define HOST_NAME_SIZE 256 /* with the terminating zero */

bool is_host_character(char c);

/* This machine's name, with '-' for what a host's name may not have. Error: SIMHASH_E_SYSTEM. */
int default_host_name(char name[HOST_NAME_SIZE], struct simhash_error *error);

#endif

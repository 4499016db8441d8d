/*
 * Determines the default index: its URL, and the host name of this machine's files.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_STORE_DEFAULT_INDEX_H
#define SIMHASH_STORE_DEFAULT_INDEX_H

#include <stdbool.h>

#include "simhash.h"

/*
 * Return the URL: `given`, or $SIMHASH_DATABASE, or the user's own SQLite file. With `create`, make
 * the directories of that file. The caller frees the URL. Errors: SIMHASH_E_SYNTAX,
 * SIMHASH_E_SYSTEM, SIMHASH_E_MEMORY.
 */
int default_index_url(const char *given, bool create, char **url, struct simhash_error *error);

#define HOST_NAME_SIZE 256 /* with the terminating zero */

bool is_host_character(char c);

/*
 * Return this machine's name, with '-' for characters that a host's name must not have. Error:
 * SIMHASH_E_SYSTEM.
 */
int default_host_name(char name[HOST_NAME_SIZE], struct simhash_error *error);

#endif

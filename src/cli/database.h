/*
 * What simhash does with a whole index: --init-database and --copy-to.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_DATABASE_H
#define SIMHASH_CLI_DATABASE_H

#include "cli/index_options.h"

/* Make an index, and print the rights that users of a server need. */
int init_database(const struct index_arguments *arguments, struct simhash_error *error);

/* Copy an index to another URL; `stop` ends it early, which *is_interrupted then tells. */
int copy_database(const struct index_arguments *arguments, const atomic_bool *stop,
		  bool *is_interrupted, struct simhash_error *error);

/* Say that a server is waited for: a store_location's `waiting`. */
void say_waiting(void *context, const char *message);

#endif

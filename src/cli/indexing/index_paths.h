/*
 * Indexes the PATHs of a command line, for simhash and for simfind --update.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_INDEX_PATHS_H
#define SIMHASH_CLI_INDEX_PATHS_H

#include "cli/options/index_options.h"

/* -1 is failure. A file that cannot be read is reported, and the run continues. */
int index_paths(const struct index_arguments *arguments, bool *had_unreadable,
		struct simhash_error *error);

#endif

/*
 * What simhash does besides indexing, a file each: --status (status.c), --forget (forget.c) and
 * --print (print.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_INSPECT_H
#define SIMHASH_CLI_INSPECT_H

#include "cli/index_options.h"

int show_index(const struct index_arguments *arguments, struct simhash_error *error);
int forget_paths(const struct index_arguments *arguments, struct simhash_error *error);
int print_files(const struct index_arguments *arguments, bool *had_unreadable,
		struct simhash_error *error);

#endif

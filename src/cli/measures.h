/*
 * The tables of --stats and --sweep, ready for gnuplot: columns, and comments after #.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_MEASURES_H
#define SIMHASH_CLI_MEASURES_H

#include <stdio.h>

#include "cli/find_options.h"

int write_measures(const struct find_arguments *arguments, struct store *store, FILE *out,
		   struct simhash_error *error);

#endif

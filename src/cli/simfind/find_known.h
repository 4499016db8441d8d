/*
 * Reads the lists of simfind --known for a search.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_KNOWN_H
#define SIMHASH_CLI_FIND_KNOWN_H

#include "cli/options/find_options.h"
#include "find/rule/known_contents.h"

/* Read the lists, if there are any, for the request. Always release `known`. */
int read_known(const struct find_arguments *arguments, struct find_request *request,
	       struct store *store, struct known_contents *known, struct simhash_error *error);

#endif

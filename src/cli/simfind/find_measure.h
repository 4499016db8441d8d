/*
 * Converts the text of --measure to a measure of the index.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_MEASURE_H
#define SIMHASH_CLI_FIND_MEASURE_H

#include "find/rule/find.h"
#include "store/open/store.h"

/* Make the request's measure, if there is one, and set the values that the user left open. */
int resolve_measure(struct find_request *request, struct store *store, struct simhash_error *error);

#endif

/*
 * Completes a request of simfind with the parts of the index that its options name.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_RESOLVE_REQUEST_H
#define SIMHASH_CLI_RESOLVE_REQUEST_H

#include "cli/options/find_options.h"
#include "find/rule/known_contents.h"
#include "store/open/store.h"

/* Make the request's measure, if there is one, and set the values that the user left open. */
int resolve_measure(struct find_request *request, struct store *store, struct simhash_error *error);

/* Read the lists of --known, if there are any, for the request. Always release `known`. */
int read_known(const struct find_arguments *arguments, struct find_request *request,
	       struct store *store, struct known_contents *known, struct simhash_error *error);

/* Read some lists into `known`. The caller always releases it, also after an error. */
int read_known_lists(const struct find_known *lists, size_t count,
		     const struct simhash_tag_set *tags, struct store *store,
		     struct known_contents *known, struct simhash_error *error);

#endif

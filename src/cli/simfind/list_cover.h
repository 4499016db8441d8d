/*
 * Implements simfind --cover: lists the known files that each FILE consists of.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_LIST_COVER_H
#define SIMHASH_CLI_LIST_COVER_H

#include "cli/simfind/find_summary.h"

/* A file that cannot be read is reported and counted, and the next ones are covered. */
int list_cover(const struct find_plan *plan, struct store *store, struct listing *listing,
	       struct find_outcome *outcome, struct simhash_error *error);

#endif

/*
 * Writes the summary of a run of simhash to standard error.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_INDEX_SUMMARY_H
#define SIMHASH_CLI_INDEX_SUMMARY_H

#include "cli/options/index_options.h"

/* `error` NULL: the run did not fail. Nothing is written as text about a run that failed early. */
void print_index_summary(const struct index_arguments *arguments,
			 const struct index_summary *summary, const struct simhash_error *error);

#endif

/*
 * Declares the parsers of simfind's option values, which write to struct find_arguments.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_FIND_VALUES_H
#define SIMHASH_CLI_FIND_VALUES_H

#include "cli/options/find_arguments.h"

option_parse_fn add_find_exclude, add_kind, add_tolerance, set_candidates, set_size_ratio,
	set_measure, set_min_resemblance, set_partition, set_nearest, set_group, set_order,
	set_sort, set_format, set_limit, set_store, set_directories, set_copies, add_known;

#define MIN_SHARED_DEFAULT 0.5

/* The function `takes` of a request. Its context is the struct find_arguments. */
bool find_filter_takes(const void *context, struct bytes directory, struct bytes name,
		       int64_t size_bytes);

#define STORED_PAIRS_DEFAULT 1000000

#define SORT_KEYS 5 /* the number of keys, each with and without "-" before it */

/* Remember a file that an option reads; `what` ends the message if the output would replace it. */
int add_input(struct find_arguments *arguments, const char *path, const char *what,
	      struct simhash_error *error);

/*
 * In find_sides.c: parsers of --between, --in, and of a directory of an option; all may be on another
 * host.
 */
option_parse_fn set_between, add_place;
int side_list_add(struct side_list *list, const char *option, const char *text,
		  struct simhash_error *error);
void side_list_release(struct side_list *list);

#endif

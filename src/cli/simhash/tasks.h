/*
 * Declares the tasks of simhash: a function and a file for each task. -1 is failure. A file that
 * cannot be read is reported, and the task continues.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_TASKS_H
#define SIMHASH_CLI_TASKS_H

#include "cli/options/index_options.h"

/* --status */
int show_index(const struct index_arguments *arguments, struct simhash_error *error);

/* --scrub; *status becomes the exit status */
int scrub(const struct index_arguments *arguments, int *status, struct simhash_error *error);

/* --forget */
int forget(const struct index_arguments *arguments, struct simhash_error *error);

/* --print */
int print_files(const struct index_arguments *arguments, bool *had_unreadable,
		struct simhash_error *error);

/* --init-database, which prints the statements that create the users of a server */
int init_database(const struct index_arguments *arguments, struct simhash_error *error);

/* --copy-to */
int copy_database(const struct index_arguments *arguments, struct simhash_error *error);

/* --export and --import */
int export_digests(const struct index_arguments *arguments, struct simhash_error *error);
int import_digests(const struct index_arguments *arguments, struct simhash_error *error);

#endif

/*
 * What the options of both programs have in common.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_OPTIONS_H
#define SIMHASH_CLI_OPTIONS_H

#include <stdbool.h>

#include "cli/progress.h"
#include "simhash.h"

/*
 * The index to use: `option` when given, else $SIMHASH_DATABASE, else
 * simhash/simhash.db below $XDG_DATA_HOME or ~/.local/share, whose directories
 * are made with `create`. On success *url is the caller's to free.
 */
int choose_database(const char *option, bool create, char **url, struct simhash_error *error);

/* The tag set of file `option`, or the built-in one. */
int choose_tag_set(const char *option, struct simhash_tag_set **set, struct simhash_error *error);

#define HOST_NAME_SIZE 256

/* The name of this host: `option` when given, else the system's. */
int choose_host(const char *option, char name[HOST_NAME_SIZE], struct simhash_error *error);

/* What a name of a host is made of. */
bool is_host_character(char c);

#define THREADS_MAX 1024

/* How many processors this machine has, for the number of threads. */
unsigned processors(void);

/* The default maximum of what a gzip file inflates to. */
#define MAX_INFLATED_BYTES (INT64_C(16) << 30)

/* The scan kernel that $SIMHASH_KERNEL names, if it is set, for the whole program. */
int choose_kernel(struct simhash_error *error);

/* Past a limit of file sizes a write is to fail, and not to end the program by SIGXFSZ. */
void ignore_size_signal(void);

/* "NAME VERSION", the scan kernel and the engines, for --version. */
void print_version(const char *program);

#endif

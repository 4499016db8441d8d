/*
 * The choices that all programs make by options, by the environment or by default: the index, the
 * tag set, the name of the host, the scan kernel.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_OPTIONS_H
#define SIMHASH_CLI_OPTIONS_H

#include <stdbool.h>

#include "base/threads/threads.h"
#include "cli/options/option_table.h"
#include "simhash_measures.h"
#include "store/engine/default_index.h"
#include "store/engine/location.h"

struct sandbox_use;
struct store;

/* The index that simfind and simkeep read. */
struct index_choice {
	struct store_location location; /* the URL as it was given, or NULL */
	const char *tag_file, *host;
};

/* Open it, and set the URL, which the caller frees, also after -1. */
int open_chosen_index(const struct index_choice *choice, char **url, struct store **store,
		      struct simhash_error *error);

/*
 * The URL of the index: `option`, else $SIMHASH_DATABASE, else simhash/simhash.db below
 * $XDG_DATA_HOME or ~/.local/share, whose directories `create` makes. The caller frees *url.
 */
int choose_database(const char *option, bool create, char **url, struct simhash_error *error);

/*
 * Refuse to write to `path` if that would replace the option file that the URL of the index names.
 * NULL is fine.
 */
int index_check_output(const struct index_choice *choice, const char *path,
		       struct simhash_error *error);

/* The tag set of file `option`, or the built-in one. */
int choose_tag_set(const char *option, struct simhash_tag_set **set, struct simhash_error *error);

/* The name of this host: `option`, else the system's. */
int choose_host(const char *option, char name[HOST_NAME_SIZE], struct simhash_error *error);

/*
 * Make a measure from the value of --measure: text as simhash_measure_new accepts it, with a last
 * parameter weights=FILE besides, which is read. Errors: those of simhash_measure_new_weighted and
 * simhash_weights_read.
 */
int measure_option_parse(const char *text, struct simhash_measure **measure,
			 struct simhash_error *error);

/* The default maximum of what a gzip file inflates to. */
#define MAX_INFLATED_BYTES (INT64_C(16) << 30)

/* Parsers of --exclude and --ext, for struct exclusions. */
option_parse_fn add_exclude, add_extensions;

/* --version: for every program. */
option_parse_fn show_version;

/*
 * Where archives are to be read: *chosen is `use`, or NULL if $SIMHASH_SANDBOX is "no" or this build
 * has no sandbox.
 */
int choose_sandbox(struct sandbox_use *use, struct sandbox_use **chosen,
		   struct simhash_error *error);

/* Use the scan kernel that $SIMHASH_KERNEL names, if it is set. */
int choose_kernel(struct simhash_error *error);

/* "NAME VERSION", the scan kernel and the engines, for --version. */
void print_version(const char *program);

#endif

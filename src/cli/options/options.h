/*
 * Makes the choices that all programs share, from options, the environment or defaults: the index,
 * the tag set, the name of the host, the scan kernel.
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
	struct store_location location; /* the URL as the user gave it, or NULL */
	const char *tag_file, *host;
};

/* Open the index, and set the URL, which the caller frees, also after -1. */
int open_chosen_index(const struct index_choice *choice, char **url, struct store **store,
		      struct simhash_error *error);

/*
 * The URL of the index: `option`, otherwise $SIMHASH_DATABASE, otherwise simhash/simhash.db below
 * $XDG_DATA_HOME or ~/.local/share. With `create`, the directories are created. The caller frees
 * *url.
 */
int choose_database(const char *option, bool create, char **url, struct simhash_error *error);

/*
 * Refuse to write to `path` if that would replace the option file named in the URL of the index.
 * `path` may be NULL.
 */
int index_check_output(const struct index_choice *choice, const char *path,
		       struct simhash_error *error);

/* The tag set in the file `option`, or the built-in one. */
int choose_tag_set(const char *option, struct simhash_tag_set **set, struct simhash_error *error);

/* The name of this host: `option`, otherwise the system's name. */
int choose_host(const char *option, char name[HOST_NAME_SIZE], struct simhash_error *error);

/*
 * Make a measure from the value of --measure: a text as for simhash_measure_new, with an optional
 * last parameter weights=FILE, which is read. Errors: see simhash_measure_new_weighted and
 * simhash_weights_read.
 */
int measure_option_parse(const char *text, struct simhash_measure **measure,
			 struct simhash_error *error);

/* The default limit for the inflated size of a gzip file. */
#define MAX_INFLATED_BYTES (INT64_C(16) << 30)

/* Parsers of --exclude and --ext, for struct exclusions. */
option_parse_fn add_exclude, add_extensions;

/* The parser of --version for every program. */
option_parse_fn show_version;

/*
 * Decide where archives are read: *chosen is `use`, or NULL if $SIMHASH_SANDBOX is "no" or if this
 * build has no sandbox.
 */
int choose_sandbox(struct sandbox_use *use, struct sandbox_use **chosen,
		   struct simhash_error *error);

/* Use the scan kernel in $SIMHASH_KERNEL, if it is set. */
int choose_kernel(struct simhash_error *error);

/* "NAME VERSION", the scan kernel and the engines, for --version. */
void print_version(const char *program);

#endif

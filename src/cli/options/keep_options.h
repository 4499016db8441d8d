/*
 * Declares the options of simkeep and its parsed command line.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_KEEP_OPTIONS_H
#define SIMHASH_CLI_KEEP_OPTIONS_H

#include "cli/options/operands.h"
#include "cli/options/options.h"
#include "index/walk/exclusions.h"
#include "keep/keep.h"

struct keep_arguments {
	struct index_choice index;
	struct operands operands;
	struct exclusions exclusions; /* for the copies */
	struct find_resources resources;
	struct keep_policy policy; /* without its protected directories */
	const char **protected;	   /* owned; the texts are borrowed */
	size_t protected_count, protected_capacity;
	const char *decisions_path, *undo_path, *journal_path, *script_path, *move_to;
	const char *into; /* the destination of --into, or of --action=merge if `merges` is set */
	const char *merge_to;
	bool merges;
	bool has_action, yes, quiet, count_archives, reviews, heal;
	char *const *words; /* the command line */
	int word_count;
};

extern const struct option_program keep_program;

void keep_arguments_init(struct keep_arguments *arguments);
void keep_arguments_release(struct keep_arguments *arguments);

/* Returns 0 to continue, 1 if the program is done (--help, --version), -1 for a wrong option. */
int keep_arguments_parse(struct keep_arguments *arguments, int argc, char **argv,
			 struct simhash_error *error);

#endif

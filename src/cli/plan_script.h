/*
 * --script: what a plan comes to, as commands for a shell.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_PLAN_SCRIPT_H
#define SIMHASH_CLI_PLAN_SCRIPT_H

#include "find/pairs.h"
#include "keep/keep.h"
#include "report/output_file.h"

/*
 * The files of identical pairs whose content can be compared, and whose names can be changed, on
 * this host. The caller frees *files; the paths are the list's.
 */
int copies_of_pairs(const struct pair_list *pairs, struct keep_file **files, size_t *count,
		    struct simhash_error *error);

struct script_request {
	const struct keep_policy *policy; /* ACTION_REPORT: commands of all kinds; no ACTION_MOVE */
	bool looks; /* leave out what `simfind --yes` would leave alone now; no file is read */
	bool quiet;
};

/* Write the script, close it, and say so. Sorts `files`. */
int write_plan_script(struct output_file *script, struct keep_file *files, size_t count,
		      const struct script_request *request, struct simhash_error *error);

#endif

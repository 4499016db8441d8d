/*
 * Writes a plan as commands for --action=script. A shell passes the commands to simkeep.
 *
 *     plan_script_begin(&script, file->stream, &request, &error);
 *     plan_script_add(&script, files, count, &error);      // for each content, or for all at once
 *     plan_script_end(&script);                            // if it was begun
 *     close_plan_script(file, &script, quiet, &error);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_PLAN_SCRIPT_H
#define SIMHASH_CLI_PLAN_SCRIPT_H

#include "act/act.h"
#include "keep/keep.h"
#include "report/lists/output_file.h"

struct script_request {
	const struct keep_policy *policy; /* ACTION_REPORT: commands of all kinds; no ACTION_MOVE */
	const char *host;
	bool host_is_given; /* by --host */
	bool looks; /* leave out what `simkeep --yes` would leave alone now; no file is read */
};

struct plan_script {
	FILE *out;
	const struct keep_policy *policy;
	bool looks;
	struct actor actor; /* that looks */
	/* The content of the copy before, and how many there are. */
	int64_t last_size_bytes;
	uint8_t last_hash[KEEP_HASH_SIZE];
	uint64_t copies, commands;
};

/* Write what comes before all copies. Borrows the stream, and the policy of the request. */
int plan_script_begin(struct plan_script *script, FILE *out, const struct script_request *request,
		      struct simhash_error *error);

/*
 * Write the copies of some contents, which come in the order of plans (keep.h), each with all its
 * files. Sorts `files`.
 */
int plan_script_add(struct plan_script *script, struct keep_file *files, size_t count,
		    struct simhash_error *error);

/* Write what comes after all copies, and release what the script holds. */
void plan_script_end(struct plan_script *script);

/* Refuse a script that would take the place of one of these files. `path` NULL is fine. */
int check_plan_script(const char *path, const struct keep_file *files, size_t count,
		      struct simhash_error *error);

/* Close the file of a script that has ended, and say so unless `quiet`. */
int close_plan_script(struct output_file *file, const struct plan_script *script, bool quiet,
		      struct simhash_error *error);

#endif

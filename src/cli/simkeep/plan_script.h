/*
 * Writes a plan as commands for --action=script. A shell passes the commands to simkeep.
 *
 *     plan_script_begin(&script, file->stream, &request, &error);
 *     plan_script_add(&script, files, count, &error);      // for each content, or for all at once
 *     plan_script_end(&script);                            // if it has begun
 *     close_plan_script(file, &script, quiet, &error);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_PLAN_SCRIPT_H
#define SIMHASH_CLI_PLAN_SCRIPT_H

#include "act/acting/act.h"
#include "keep/keep.h"
#include "report/lists/output_file.h"

struct script_request {
	/* ACTION_REPORT: commands of all kinds; ACTION_MOVE is not allowed. Unused if `moves` */
	const struct keep_policy *policy;
	const char *host;
	bool host_is_given; /* --host was given */
	/* Leave out copies that `simkeep --yes` would leave alone now; no file is read. */
	bool looks;
	/* See struct script_head. */
	const struct bytes *emptied;
	size_t emptied_count;
	bool moves; /* the acts of one tree from many: plan_script_add_act */
};

struct plan_script {
	FILE *out;
	const struct keep_policy *policy;
	bool looks, moves;
	struct actor actor; /* checks the files */
	/* The content of the copy before, and the numbers of copies and commands. */
	int64_t last_size_bytes;
	uint8_t last_hash[KEEP_HASH_SIZE];
	uint64_t copies, commands; /* copies: also files that move */
};

/* Write the text before all copies. The stream and the policy of the request must stay valid. */
int plan_script_begin(struct plan_script *script, FILE *out, const struct script_request *request,
		      struct simhash_error *error);

/*
 * Write the copies of one or more contents. `files` has all files of each content, and is sorted
 * into the order of plans (keep.h).
 */
int plan_script_add(struct plan_script *script, struct keep_file *files, size_t count,
		    struct simhash_error *error);

/* Write the command of one act, which moves or deletes a file. */
void plan_script_add_act(struct plan_script *script, const struct planned_act *act);

/* Write the text after all copies, and release the script. */
void plan_script_end(struct plan_script *script);

/* Close the file of a complete script, and print a message unless `quiet` is set. */
int close_plan_script(struct output_file *file, const struct plan_script *script, bool quiet,
		      struct simhash_error *error);

#endif

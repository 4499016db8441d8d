/*
 * Carries out a plan, or shows its effects, with a line for each file and a summary. Without a rule
 * and without decisions, it lists the folders that have copies instead.
 *
 *     status = acting_begin(&acting, &arguments, &error);
 *     if (status == 0)
 *             status = acting_plan(&acting, files, count, host, &error);
 *     acting_end(&acting);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_ACTING_H
#define SIMHASH_CLI_ACTING_H

#include "cli/options/keep_options.h"
#include "cli/simkeep/act_lines.h"
#include "cli/simkeep/changes.h"
#include "cli/simkeep/covered.h"
#include "cli/simkeep/index_update.h"
#include "cli/simkeep/removable.h"
#include "cli/simkeep/staying.h"
#include "cli/simkeep/tool_trees.h"
#include "report/lists/output_file.h"

struct acting {
	const struct keep_arguments *arguments;
	struct keep_policy policy; /* with absolute paths of directories */
	struct bytes *protected;   /* owned with its items */
	size_t protected_capacity;
	char *rule_texts[KEEP_RULES_MAX], *move_to;
	const struct bytes *trees; /* directories that become empty are removed at or below these */
	size_t tree_count;
	bool merges_trees; /* the acts make one tree, and so they also delete read-only files */
	struct output_file script;  /* open if a script is written */
	bool script_is_output;	    /* the script goes to standard output */
	struct covered covered;	    /* empty with --decisions */
	bool is_script;		    /* the acts are the commands of a script */
	struct tool_trees tools;    /* empty with --decisions */
	struct index_update update; /* what acts have changed */
	bool is_updated;	    /* the index has these changes */
	struct staying staying;	    /* files that stay in folders */
	struct removable removable; /* copies, if folders are listed */
	struct changes *changes; /* collects acts for a list by folder, instead of lines; or NULL */
	uint64_t acts, moves, folders, left, saved_bytes, unreadable;
	uint64_t shared; /* copies that already shared the blocks of the kept file */
	struct act_lines lines;
};

/* Find the directories of rules and options. The caller calls acting_end, also after -1. */
int acting_begin(struct acting *acting, const struct keep_arguments *arguments,
		 struct simhash_error *error);
void acting_end(struct acting *acting);

/* Protect one more directory. */
int acting_protect(struct acting *acting, const char *directory, struct simhash_error *error);

/* Are folders listed instead of files? */
bool acting_lists_folders(const struct acting *acting);

/* Count a file that is left alone, and write a message. */
void acting_leave(struct acting *acting, const char *path, const char *why);

/*
 * Open the file of --action=script, if the option was given. `store` is NULL if there is no index.
 */
int acting_open_script(struct acting *acting, const struct store *store,
		       struct simhash_error *error);

/* Make a plan for these sorted files, carry it out, and report the result. */
int acting_plan(struct acting *acting, struct keep_file *files, size_t count, const char *host,
		struct simhash_error *error);

/* As acting_plan, for an existing plan; no script is written. */
int acting_carry_out(struct acting *acting, const struct plan *plan, const char *host,
		     struct simhash_error *error);

/* The two parts of acting_carry_out: do the acts and write a line for each, and write the summary. */
int acting_do(struct acting *acting, const struct plan *plan, const char *host,
	      struct simhash_error *error);
int acting_conclude(struct acting *acting, const struct plan *plan, struct simhash_error *error);

#endif

/*
 * Declares the tasks of simkeep.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_KEEP_TASKS_H
#define SIMHASH_CLI_KEEP_TASKS_H

#include "cli/options/keep_options.h"

struct acting;
struct journal_act;
struct store;

/* --decisions: carry out the decisions of a report, or the commands of a script. */
int apply_decisions(struct acting *acting, const char *host, struct simhash_error *error);

/*
 * Act on copies in the index: --keep, --action=script or, without them, list the folders with
 * copies.
 */
int act_on_copies(struct acting *acting, const char *host, struct simhash_error *error);

/* --into and --action=merge: make one tree from many. */
int make_one_tree(struct acting *acting, const char *host, struct simhash_error *error);

/* --heal: replace damaged files with intact copies. */
int heal_damaged(struct acting *acting, const char *host, struct simhash_error *error);

/* These acts of healing were undone: the index gets the damage again. */
bool heal_note_undone(const struct keep_arguments *arguments, const char *host,
		      const struct journal_act *const *acts, size_t count);

/*
 * Use the built-in tags or, if the index has no files with these, the only tag set that has files.
 * The caller frees the tags, also after -1.
 */
int choose_tags(struct store *store, struct simhash_tag_set **tags, bool *has_files,
		struct simhash_error *error);

/* --undo; *had_left: a file was left alone. */
int undo_acts(const struct keep_arguments *arguments, bool *had_left, struct simhash_error *error);

#endif

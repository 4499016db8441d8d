/*
 * Updates the index after acts, or after they were undone, so that the next answer is right without
 * another run of simhash.
 *
 *     index_update_note_act(&update, &act, &result, &error);        // for each act that was done
 *     index_update_run(&update, &choice, host);
 *     index_update_release(&update);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_INDEX_UPDATE_H
#define SIMHASH_CLI_INDEX_UPDATE_H

#include "act/acting/act.h"
#include "base/data/arena.h"
#include "cli/options/options.h"
#include "store/write/changed_rows.h"

struct index_update {
	/*
	 * The values of the files `to` are added later. If a size is KEEP_SIZE_UNKNOWN, `from` exists and is as in the index.
	 */
	struct row_change *changes;
	size_t count, capacity;
	struct arena texts;
};

/* Add the change of an act that was done. */
int index_update_note_act(struct index_update *update, const struct planned_act *act,
			  const struct act_result *result, struct simhash_error *error);

/* Add that a directory was removed. If memory is short, its rows stay in the index, which does no harm. */
void index_update_note_folder(struct index_update *update, const char *path);

/* Add a change; the texts are copied. */
int index_update_note(struct index_update *update, const struct row_change *change,
		      struct simhash_error *error);

/*
 * Add that `path` has become, or was, a hard link to the file `kept`: both rows get the present
 * values of their files.
 */
int index_update_note_link(struct index_update *update, const char *kept, const char *path,
			   struct simhash_error *error);

/*
 * Write the changes to the index. False if the index needs a run of simhash. Then a message gives
 * the reason, if there is one.
 */
bool index_update_run(struct index_update *update, const struct index_choice *choice,
		      const char *host);
void index_update_release(struct index_update *update);

#endif

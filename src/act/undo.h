/*
 * Undoing what a journal tells of, the last act first. What the disk shows counts, not what the
 * journal says came of an act: so it can be undone whenever the program ended.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_UNDO_H
#define SIMHASH_ACT_UNDO_H

#include "act/journal.h"

enum undo_status {
	UNDO_LEFT = -1, /* it cannot be undone, for the reason that is given */
	UNDO_NOTHING,	/* it is as it was before the act */
	UNDO_DONE,	/* restored; or would be */
};

/*
 * Undo one act. Without `does`, nothing is changed. A file that was deleted or has become a hard
 * link is made again from the file that was kept, if that still has the content which the journal
 * names, with the mode, the times and, as far as the system allows, the owner that it had. `note`
 * tells what is not as it was.
 */
enum undo_status undo_act(const struct journal_act *act, bool does, uint64_t *random,
			  struct simhash_error *why, const char **note);

#endif

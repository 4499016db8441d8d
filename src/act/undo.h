/*
 * Undoes the acts of a journal, the last act first. The state of the disk decides, and not the
 * outcome in the journal. So an act can be undone no matter when the program ended.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_UNDO_H
#define SIMHASH_ACT_UNDO_H

#include "act/journal.h"

enum undo_status {
	UNDO_LEFT = -1, /* it cannot be undone, for the reason that is given */
	UNDO_NOTHING,	/* it is as it was before the act */
	UNDO_CLEANED,	/* the same, but for a name that a kill had left, which is removed */
	UNDO_DONE,	/* restored; or would be */
};

struct undo_result {
	const char *owner_note, *attribute_note; /* what is not as it was; or NULL */
	uint64_t spare_names; /* that a kill had left, and that are removed; or would be */
	uint64_t bytes;	      /* that a file which is made again takes on the disk */
};

/*
 * Undo one act. Without `does`, nothing is changed. A file that was deleted or has become a hard
 * link is made again from the file that was kept, if that still has the content which the journal
 * names, with its holes, and with the mode, the times and, as far as the system allows, the owner that
 * it had. Without its owner or group, the file gets no right that only they had.
 */
enum undo_status undo_act(const struct journal_act *act, bool does, struct undo_result *result,
			  struct simhash_error *why);

#endif

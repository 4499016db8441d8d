/*
 * Describes the state of one act while it is carried out.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_WORK_H
#define SIMHASH_ACT_WORK_H

#include <signal.h>

#include "act/file/side.h"
#include "act/journal/journal.h"
#include "base/basic/error.h"

struct actor;
struct act_result;

struct work {
	struct actor *actor;
	const struct planned_act *act;
	/* The kept file of the plan, or the file that replaced it. */
	const struct keep_file *kept_file;
	struct side copy, own_kept;
	/* For a move to another file system: its copy there. */
	struct side target;
	/* own_kept, the same file in the previous act, or target; fd -1: none */
	struct side *kept;
	/* For a move: the rest of record.to that begins with a missing directory; NULL: none. */
	const char *missing;
	bool is_far;	    /* a move to another file system */
	bool has_temporary; /* the copy there exists under the temporary name of the record */
	bool has_copy;	    /* the copy has its name; `removal` and `copied` are set */
	unsigned lost;	    /* the attributes that the copy does not have: LOST_OWNER and so on */
	struct planned_act removal;
	struct keep_file copied; /* also set for another name of a moved file */
	struct journal_act record;
	struct act_result *result;
	struct simhash_error *why; /* the error in the result */
	bool is_locked_elsewhere;  /* the file was left for this reason */
	bool is_same_already;	   /* the file was left because nothing must be done */
	bool is_shared_already;	   /* the same, because it shares the blocks of the kept file */
	/* The file was left because the kept file can have no more names. */
	bool is_full;
};

static inline int refuse(struct work *work, const char *why)
{
	return error_set(work->why, SIMHASH_E_RANGE, "%s", why);
}

static inline int refuse_taken(struct work *work)
{
	return refuse(work, "the directory to move to has another file with its name");
}

/* Is the file another name of a file that an earlier act moves to another file system? */
static inline bool follows_move(const struct planned_act *act)
{
	return act->action == ACTION_DELETE && act->to != NULL;
}

/* An unused name: KEEP_TEMPORARY_PREFIX and 16 random digits. */
void temporary_name(uint64_t *random, char name[TEMPORARY_SIZE]);

/* Do the names still lead to both files, and are these unchanged? -1 with the reason in `why`. */
int check_unchanged(struct work *work);

/* The checks before the files are compared: open and lock them. -1 with the reason in `why`. */
int work_prepare(struct work *work);

/*
 * Watch both files for writes, compare them, check them again, and fill the record for the journal. -1 with the reason in `why`.
 */
int work_examine(struct work *work);

/* Another piece of a file on the way to another file system was read. */
void work_note_piece(const struct work *work);

/*
 * Can the file be copied to its new place on another file system? `existing` is the last directory
 * that exists. -1 with the reason in `why`.
 */
int far_check_target(struct work *work, const struct place *existing);

/*
 * Moves to another file system, after the journal entries: copy the files of the batch, and then
 * turn the acts into deletions, which are examined and done like others. Finally remove copies
 * whose files could not be deleted. A file that is left has its outcome and the reason.
 */
int far_copy(struct actor *actor, struct simhash_error *error);
void far_begin_removal(struct actor *actor);
void far_end(struct actor *actor);
/* Does a signal wait that would end the program? */
bool far_has_signal(void);

/* Begin to change names, while signals wait if `blocks` is set; *before is the earlier mask. */
void actor_begin_change(const struct actor *actor, bool blocks, sigset_t *before);
void actor_end_change(const struct actor *actor, const sigset_t *before);

/* Enter the directories that the moves of the batch need in the journal, and then make them. */
int targets_begin(struct actor *actor, struct simhash_error *error);
int targets_make(struct actor *actor, struct simhash_error *error);

/* Record that the act has removed a name, or would, for its directory. */
int work_note_lost(const struct work *work, struct simhash_error *error);

/* Record the times of the directory of the copy before the act changes a name in it. */
int work_note_directory(const struct work *work, struct simhash_error *error);

/*
 * The step after the journal entry: link, delete, move or share blocks. -1 with the reason in
 * `why`.
 */
int work_do(struct work *work);

#endif

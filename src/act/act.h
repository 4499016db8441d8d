/*
 * Carries out a plan in batches: all files of a batch are open, locked and compared, and a record
 * of the intended acts is on the disk, before the first act of the batch.
 *
 *     status = actor_init(&actor, &options, &error);
 *     for (size_t at = 0; status == 0 && at < plan.count; at += ACT_BATCH) {
 *             struct act_result results[ACT_BATCH];
 *             size_t count = plan.count - at < ACT_BATCH ? plan.count - at : ACT_BATCH;
 *             status = actor_act(&actor, plan.acts + at, count, results, &error);
 *             ... // each result, also on -1
 *     }
 *     actor_release(&actor);
 *
 * No plan can make a content lose its last file: a file is removed only while another inode with
 * the same bytes is open and still has its name. docs/apply.md has the order of steps. Two
 * processes that act on the same files cannot each remove the file that the other one keeps,
 * because of the locks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_ACT_H
#define SIMHASH_ACT_ACT_H

#include <stdatomic.h>

#include "act/journal.h"
#include "act/place.h"
#include "act/protected_names.h"
#include "act/saved_bytes.h"
#include "keep/keep.h"

struct act_options {
	enum keep_action action;
	const char *move_to;	       /* absolute, a directory; of ACTION_MOVE */
	const struct bytes *protected; /* directories; each ended by a zero */
	size_t protected_count;
	struct journal *journal; /* NULL: do nothing, and compare no bytes */
	atomic_bool *is_acting;	 /* set while names change, and signals wait; or NULL */
};

/* Hard links that were made to a file. */
struct linked_names {
	uint64_t device, inode, names;
};

/* The file that is kept for further names, because `planned` can have no more. */
struct second_kept {
	const struct keep_file *planned, *file;
};

#define ACT_BATCH 128

struct work;

struct actor {
	struct act_options options;
	struct guard guard;
	struct saved_bytes saved;
	struct linked_names linked; /* to the file that was linked to last */
	struct second_kept second;
	struct protected_names protected_names;
	struct work *works; /* of one batch */
	size_t work_count, work_capacity;
	uint64_t random; /* of temporary names */
};

int actor_init(struct actor *actor, const struct act_options *options, struct simhash_error *error);
void actor_release(struct actor *actor);

enum act_outcome {
	ACT_PENDING, /* nothing was done, because actor_act returned -1 before */
	ACT_DONE,    /* or would be */
	ACT_LEFT,    /* for the reason in `why` */
	ACT_KEPT, /* the kept file can have no more names, so this one is kept for those to come */
	ACT_NOTHING, /* it is a name of the kept file already */
};

struct act_result {
	enum act_outcome outcome;
	struct simhash_error why; /* the message is empty unless the file was or would be left */
	uint64_t saved_bytes;
	const struct keep_file *kept; /* of the plan, or the one that took its place; NULL: none */
	char *to; /* of a move, where the file goes; or NULL. The caller frees it. */
};

/*
 * Carry out at most ACT_BATCH acts. Each has a result, also on -1, which is returned only where nothing
 * more can be done, as when the journal cannot be written.
 */
int actor_act(struct actor *actor, const struct planned_act *acts, size_t count,
	      struct act_result *results, struct simhash_error *error);

/* ---- What acts and undoing them have in common ---- */

/* KEEP_TEMPORARY_PREFIX and 16 random digits: a name that is free. */
void temporary_name(uint64_t *random, char name[TEMPORARY_SIZE]);

/* Another name that belongs to a temporary name: whoever knows the first one finds it after a kill. */
void second_temporary(const char *temporary, char name[TEMPORARY_SIZE]);

/*
 * Can a name of this directory be removed or replaced? Not in one that is append-only or immutable,
 * nor in a sticky one for whoever owns neither it nor the file; `status`, which may be NULL, is that of
 * the file. -1 with the reason.
 */
int check_removal(const struct place *place, const struct stat *status, struct simhash_error *why);

/* Have two files the same extended attributes, as far as this system tells? */
bool has_same_attributes(int x, int y);

/*
 * Give a file the extended attributes of another one; with `all`, also the capabilities and access lists,
 * which only its owner and group should have. -1 with errno if some are missing.
 */
int copy_attributes(int from, int to, bool all);

/* Can two files share blocks, as far as this tells without doing it? -1 with the reason. */
int check_sharing(int kept, int copy, struct simhash_error *why);

/*
 * The bytes of a file without the blocks that it shares with other files, which free nothing.
 * Those of the page cache that have no blocks yet count.
 */
uint64_t own_bytes(int fd, const struct stat *status);

/* Let `copy` share the blocks of `kept`: the kernel compares. -1 with the reason. */
int share_blocks(int kept, int copy, int64_t size_bytes, struct simhash_error *why);

#endif

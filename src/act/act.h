/*
 * Carrying out a plan: one act after the other, each on files that are open, locked and have just
 * been compared.
 *
 *     status = actor_init(&actor, &options, &error);
 *     for (size_t i = 0; status == 0 && i < plan.count; i++) {
 *             struct act_result result;
 *             status = actor_act(&actor, &plan.acts[i], &result, &error);
 *             if (status == 0 && result.why.message[0] != '\0')
 *                     ... // left alone
 *     }
 *     actor_release(&actor);
 *
 * Whatever the plan is, no content loses its last file: a file goes only while another inode is
 * open whose name still is its own and whose bytes are the same; on another file system, only if
 * that does not change with it. Two processes that act on the same
 * files cannot each take what the other one keeps, because of the locks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_ACT_H
#define SIMHASH_ACT_ACT_H

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
};

/* Hard links that were made to a file. */
struct linked_names {
	uint64_t device, inode, names;
};

struct actor {
	struct act_options options;
	struct guard guard;
	struct saved_bytes saved;
	struct linked_names linked; /* to the file that was linked to last */
	struct protected_names protected_names;
	uint64_t random; /* of temporary names */
};

int actor_init(struct actor *actor, const struct act_options *options, struct simhash_error *error);
void actor_release(struct actor *actor);

struct act_result {
	struct simhash_error why; /* the file was left, or would be; else the message is empty */
	uint64_t saved_bytes;
	char *to; /* of a move, where the file goes; or NULL. The caller frees it. */
};

/* -1 only where nothing more can be done, as when the journal cannot be written. */
int actor_act(struct actor *actor, const struct planned_act *act, struct act_result *result,
	      struct simhash_error *error);

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

/* Let `copy` share the blocks of `kept`: the kernel compares. -1 with the reason. */
int share_blocks(int kept, int copy, int64_t size_bytes, struct simhash_error *why);

#endif

/*
 * Carries out a plan in batches. Before the first act of a batch, all its files are open, locked
 * and compared, and a record of the intended acts is on the disk.
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
 * Acts are done in the order of the plan, and may have different actions. If the kept file of an act
 * is also moved, the move comes later: an act whose kept file has no longer its name is left. But
 * the deletion of another name of a file that moves to another file system comes after the move. If
 * an act frees the new name of a moved file, it comes earlier. Undoing the acts in reverse order then
 * works. A run without a journal changes no name, so there a target that an earlier act would free
 * counts as taken.
 *
 * No plan can remove the last file of a content: a file is removed only while another inode with
 * the same bytes is open and still has its name. docs/apply.md describes the order of steps.
 * Because of the locks, two processes that act on the same files cannot each remove the file that
 * the other one keeps.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_ACT_H
#define SIMHASH_ACT_ACT_H

#include <stdatomic.h>

#include "act/file/kept_archive.h"
#include "act/file/protected_names.h"
#include "act/file/saved_bytes.h"
#include "act/journal/journal.h"
#include "act/journal/path_notes.h"
#include "base/files/extents.h"
#include "keep/keep.h"
#include "place/place.h"

struct act_options {
	const char *move_to;	       /* an absolute directory for moves without `to`, or NULL */
	const struct bytes *protected; /* directories, each with a terminating zero */
	size_t protected_count;
	/*
	 * Directories that lose their last name are removed if they are at or below these absolute
	 * directories, which have no slash at the end.
	 */
	const struct bytes *trees;
	size_t tree_count;
	struct journal *journal; /* NULL: only report, and compare no bytes */
	/*
	 * If the acts belong to this plan, members of archives that later acts need are read in the
	 * same pass. NULL: unknown.
	 */
	const struct plan *plan;
	atomic_bool *is_acting; /* set while names change and signals wait; or NULL */
	bool deletes_read_only; /* also delete files that their owner may not write to */
	/*
	 * Counts about FAR_READINGS times the bytes of each file that is moved to another file
	 * system; or NULL.
	 */
	_Atomic uint64_t *far_bytes;
};

/* The number of hard links that were made to a file. */
struct linked_names {
	uint64_t device, inode, names;
};

/* The file that is kept for more names, because `planned` can have no more. */
struct second_kept {
	const struct keep_file *planned, *file;
};

/* The attributes that a file system or the user cannot set. */
enum { LOST_OWNER = 1, LOST_MODE = 2, LOST_TIME = 4 };

/* The last file system where moved files lost attributes. */
struct lost_attributes {
	uint64_t device;
	unsigned lost;
};

/* The directories that the moves of a batch need. */
struct targets {
	struct journal_act *list;
	size_t count, capacity;
	struct arena paths;
};

#define ACT_BATCH 128
/* A file is copied to another file system, the copy is read again, and then both are compared. */
#define FAR_READINGS 3

struct work;

struct actor {
	struct act_options options;
	struct guard guard;
	struct saved_bytes saved;
	/* In a run without a journal: the blocks of this kept file and of its copies so far. */
	const struct keep_file *blocks_of;
	struct block_counts blocks;
	struct linked_names linked; /* the number of links to the file that got the last one */
	struct second_kept second;
	struct lost_attributes told;
	struct protected_names protected_names;
	struct path_notes directories; /* with names that acts removed */
	struct targets targets;
	struct kept_archive archive; /* the archive whose members are kept */
	struct work *works;	     /* the acts of the current batch */
	size_t work_count, work_capacity;
	bool is_copying; /* the files of the batch are copied now, and deleted later */
	uint64_t random; /* for temporary names */
};

int actor_init(struct actor *actor, const struct act_options *options, struct simhash_error *error);
void actor_release(struct actor *actor);

enum act_outcome {
	ACT_PENDING, /* nothing was done, because actor_act returned -1 earlier */
	ACT_DONE,    /* done, or would be done */
	ACT_LEFT,    /* the file was left alone; the reason is in `why` */
	/* The kept file can have no more names, so this file is kept for the following copies. */
	ACT_KEPT,
	ACT_NOTHING, /* the path is already a name of the kept file */
	ACT_SHARED,  /* the file already shares all its blocks with the kept file */
};

struct act_result {
	enum act_outcome outcome;
	struct simhash_error why; /* empty unless the file was left, or would be */
	uint64_t saved_bytes;
	/* The kept file of the plan, or the file that replaced it; NULL: none. */
	const struct keep_file *kept;
	char *to; /* the target of a move, or NULL; the caller frees it */
	/*
	 * The attributes that the file does not have on its new file system: LOST_OWNER and so on.
	 * Each is reported once for consecutive files on one file system.
	 */
	unsigned lost;
};

/*
 * Carry out at most ACT_BATCH acts. Each act has a result, also on -1. -1 means that nothing more
 * can be done, for example because the journal cannot be written.
 */
int actor_act(struct actor *actor, const struct planned_act *acts, size_t count,
	      struct act_result *results, struct simhash_error *error);

/* Is called for each directory that was removed, or would be. */
typedef void directory_removed_fn(void *context, const char *path);

/*
 * After all acts: remove the directories that have become empty because acts removed names in them,
 * and then the directories above these that have become empty. A directory stays if it is a mount
 * point, is protected or has extended attributes, which undo could not restore.
 */
int actor_remove_emptied(struct actor *actor, directory_removed_fn *removed, void *context,
			 struct simhash_error *error);

/* ---- Space on other file systems ---- */

/* The files that moves would copy to one file system. */
struct far_space {
	uint64_t device, files;
	uint64_t needed_bytes, file_bytes; /* file_bytes: with holes */
	/* The free space, with the space of files that the plan deletes; UINT64_MAX: unknown. */
	uint64_t free_bytes;
	char *directory; /* on the file system; owned */
};

#define FAR_SPACES_MAX 16 /* the most file systems that one plan moves files to */

struct far_spaces {
	struct far_space list[FAR_SPACES_MAX];
	size_t count;
};

/* Add up a plan. Looks at the files, but opens none. The caller releases the result. */
void far_spaces_add_up(struct far_spaces *spaces, const struct plan *plan, const char *move_to);
void far_spaces_release(struct far_spaces *spaces);

#endif

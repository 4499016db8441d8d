/*
 * Undoes the acts of a journal, starting with the last one. The files on the disk decide, not the
 * outcomes in the journal. So an act can be undone no matter when the program ended.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_UNDO_H
#define SIMHASH_ACT_UNDO_H

#include <stdatomic.h>

#include "act/journal/journal.h"
#include "act/journal/path_notes.h"

struct kept_archive;
struct undo_search;

enum undo_status {
	UNDO_LEFT = -1, /* it cannot be undone; the reason is given */
	UNDO_NOTHING,	/* the file is as it was before the act */
	UNDO_CLEANED,	/* the same, but a name that a kill left was removed */
	/* The file was restored, its copy on another file system was removed, or would be. */
	UNDO_DONE,
};

struct undo_result {
	const char *owner_note, *attribute_note; /* what could not be restored; or NULL */
	/* The number of names left by a kill that were removed, or would be. */
	uint64_t spare_names;
	uint64_t bytes; /* the disk space for restored files */
	/* The modification time of a removed copy, which the index has; or of the file. */
	int64_t copy_mtime_ns;
};

/*
 * Undoes the acts of a journal:
 *
 *     struct undoer undoer = {.does = true, .first = list.acts, .journal = path};
 *     undo_find_names(&undoer, &list, &error);
 *     for (size_t i = list.count; i-- > 0;)
 *             undo_act(&undoer, &list.acts[i], &result, &why);
 *     for (size_t i = 0; i < list.count; i++)
 *             undo_finish(&list.acts[i], &result, &why);   // if it does
 *     undoer_release(&undoer);
 */
struct undoer {
	bool does;		 /* false: nothing is changed */
	struct path_notes notes; /* if nothing is changed: what would have been restored */
	/* For each file that lost a name: the last name that is back. The keys are not paths. */
	struct path_notes names;
	/* The first act of the list, so that members of an archive are read together; or NULL. */
	const struct journal_act *first;
	struct kept_archive *archive; /* the archive that was read last; or NULL */
	const char *journal;	      /* its path, next to which the bytes of damaged files are */
	struct undo_search *search;   /* set by undo_find_names */
	/* The directories that it has searched, which other threads may read, or could not search. */
	_Atomic uint64_t searched_folders;
	uint64_t unread_folders;
};

void undoer_release(struct undoer *undoer);

/*
 * Files may have lost some of their names (hard links) and kept others. Search for these others, so
 * that undo_act can make the restored names links of them: in the folder of the file, then in the
 * folders above it, and in the rest of the mount until all are found. Each mount is searched at
 * most once for each recorded device. If no file needs it, nothing is searched. Call it before the
 * first undo_act. The list must stay valid.
 */
int undo_find_names(struct undoer *undoer, const struct journal_list *list,
		    struct simhash_error *error);

/*
 * Undo one act, after all later ones. A file that was removed or became a hard link
 * is restored from the kept file if that file still has the content in the journal. It gets its
 * holes, its mode, its times and, as far as the system allows, its owner back. If another name of
 * the file was restored before or found, both are names of one file again. If its owner or group
 * differs, it gets no permissions that only the old owner or group had.
 */
enum undo_status undo_act(struct undoer *undoer, const struct journal_act *act,
			  struct undo_result *result, struct simhash_error *why);

/*
 * After everything is restored: is the file of this act apart from the names that no act removed,
 * because these were not found or have changed? True for one of the acts of the file.
 */
bool undo_is_apart(const struct undoer *undoer, const struct journal_act *act);

/*
 * Restore the owner, the mode and the times of a directory that undoing has made again, after its
 * files are restored. Call it in the order of the acts. UNDO_NOTHING for all other acts.
 */
enum undo_status undo_finish(const struct journal_act *act, struct undo_result *result,
			     struct simhash_error *why);

#endif

/*
 * Declares what undoing an act on a file and an act on a directory share.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_UNDO_STATE_H
#define SIMHASH_ACT_UNDO_STATE_H

#include "act/undo/undo.h"
#include "place/place.h"
#include "store/row/file_row.h"

/*
 * Restore the attributes of a file whose content is restored, and write it to the disk. `from` -1:
 * there is no file to copy extended attributes from. -1 with errno.
 */
int dress_file(int from, int to, const struct journal_act *act, struct undo_result *result);

/* Does it look like the original file, restored or never changed? */
bool looks_restored(const struct stat *status, const struct journal_file *file);

/* Does the act remove a name? The number of links does not count: it was 1 for the last name. */
static inline bool loses_name(const struct journal_act *act)
{
	return act->action == ACTION_DELETE || act->action == ACTION_HARDLINK;
}

/* Note that the file of an act has its name again, or would have it. */
int undo_note_name(struct undoer *undoer, const struct journal_act *act, struct simhash_error *why);

/* Another name of the same file that is back, or would be, or that stayed; NULL: none. */
const char *undo_other_name(const struct undoer *undoer, const struct journal_act *act);

/*
 * Make a hard link to that other name, if its file is the restored one. False: there is none, or
 * the system refuses.
 */
bool undo_link_name(const struct undoer *undoer, const struct journal_act *act,
		    const struct place *place, const char *name);

/* A name of the file that undo_find_names has found; NULL: none. */
const char *undo_staying_name(const struct undoer *undoer, const struct journal_act *act);
void undo_search_end(struct undoer *undoer);

/* Was a member of an archive kept? */
static inline bool keeps_member(const struct journal_act *act)
{
	return act->kept != NULL && is_inside_path(bytes_of(act->kept));
}

/*
 * Open a file with the bytes of the member of an archive that was kept. If nothing is done, only
 * its size is known. -1 with the reason.
 */
int undo_open_member(struct undoer *undoer, const struct journal_act *act, bool does,
		     struct stat *status, struct simhash_error *why);
void undo_members_end(struct undoer *undoer);

/*
 * Remove the copy of a move to another file system, if the file is back with the same bytes, and a
 * temporary name that a kill left.
 */
enum undo_status undo_copy(const struct undoer *undoer, const struct journal_act *act,
			   struct undo_result *result, struct simhash_error *why);

/* Give a healed file its damaged bytes back, and its other names. */
enum undo_status undo_heal(const struct undoer *undoer, const struct journal_act *act,
			   struct undo_result *result, struct simhash_error *why);

/* Remove a directory that a move made, if it is empty. */
enum undo_status undo_mkdir(const struct place *place, bool does);

/* Make a directory again, for the files that are restored in it. */
enum undo_status undo_rmdir(const struct place *place, bool does, struct simhash_error *why);

#endif

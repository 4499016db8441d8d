/*
 * Undoes an act of a journal: compares the current files with the journal and restores missing
 * files.
 * SPDX-License-Identifier: MIT
 */
#include "act/undo/undo.h"
#include "act/file/attributes.h"
#include "act/file/share_blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "act/file/same_bytes.h"
#include "act/undo/undo_state.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "place/rename.h"

struct undo {
	struct undoer *undoer;
	const struct journal_act *act;
	bool does;
	/* Nothing is changed, and the directory is one that undoing would make again. */
	bool lacks_directory;
	struct place place; /* the place of the file that was acted on */
	/* The name under which a file is restored; "": no temporary name. */
	char second[TEMPORARY_SIZE];
	const char *spare; /* a name left by a kill; or NULL */
	struct simhash_error *why;
	struct undo_result *result;
};

/* Decides whether a file may be removed when another file gets its name. */
typedef bool may_go_fn(const struct undo *undo, const struct stat *status, const void *context);

static enum undo_status leave(struct undo *undo, const char *why)
{
	error_set(undo->why, SIMHASH_E_RANGE, "%s", why);
	return UNDO_LEFT;
}

static enum undo_status leave_errno(struct undo *undo, const char *why)
{
	error_set_errno(undo->why, "%s", why);
	return UNDO_LEFT;
}

/* The file that had the name now has the name `temporary`. */
static enum undo_status leave_beside(struct undo *undo, const char *why, const char *temporary)
{
	error_set_errno(undo->why, "%s; the file that had the name is '%s' in its directory", why,
			temporary);
	return UNDO_LEFT;
}

static enum undo_status leave_spare(struct undo *undo, const char *why, const char *name)
{
	error_set(undo->why, SIMHASH_E_RANGE, "%s: '%s' in its directory", why, name);
	return UNDO_LEFT;
}

static int open_regular(const struct place *place, const char *name, struct stat *status)
{
	int fd = open_file_at(place->directory_fd, name,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);

	if (fd < 0 || (fstat(fd, status) == 0 && S_ISREG(status->st_mode)))
		return fd;
	close_content(fd);
	errno = EINVAL;
	return -1;
}

/*
 * Is it this file? The device number is not compared, because it may change when the system
 * restarts. A hard link does not change the modification time.
 */
static bool is_file(const struct stat *status, const struct journal_file *file)
{
	return S_ISREG(status->st_mode) && (uint64_t)status->st_ino == file->inode &&
	       status->st_size == file->size_bytes && stat_mtime_ns(status) == file->mtime_ns;
}

bool looks_restored(const struct stat *status, const struct journal_file *file)
{
	return S_ISREG(status->st_mode) && status->st_size == file->size_bytes &&
	       stat_mtime_ns(status) == file->mtime_ns &&
	       (status->st_mode & 07777) == restored_mode(status, file);
}

/*
 * Give the file with the temporary name its old name back. The file that has this name now is
 * removed if `may_go` allows it, and otherwise stays.
 */
static enum undo_status put_back(struct undo *undo, const char *temporary, may_go_fn *may_go,
				 const void *context)
{
	int directory = undo->place.directory_fd;
	const char *name = undo->place.name;
	struct stat status;

	if (rename_exchange(directory, temporary, name) == 0) {
		if (place_status(&undo->place, temporary, &status) == 0 &&
		    may_go(undo, &status, context))
			return unlinkat(directory, temporary, 0) == 0
				       ? UNDO_DONE
				       : leave_beside(undo, "cannot remove what was there",
						      temporary);
		if (rename_exchange(directory, temporary, name) != 0)
			return leave_beside(undo, "it has changed meanwhile", temporary);
		return leave(undo, "it has changed meanwhile");
	}
	if (errno != ENOTSUP)
		return leave_errno(undo, "cannot put it back");
	if (place_status(&undo->place, name, &status) != 0 || !may_go(undo, &status, context))
		return leave(undo, "it has changed meanwhile");
	return renameat(directory, temporary, directory, name) == 0
		       ? UNDO_DONE
		       : leave_errno(undo, "cannot put it back");
}

/* ---- Names left by a kill ---- */

/*
 * Remove a second name of the file, which was left by an act. An error message contains the name if
 * it cannot be removed.
 */
static enum undo_status remove_spare(struct undo *undo, const char *name)
{
	if (undo->does && unlinkat(undo->place.directory_fd, name, 0) != 0 && errno != ENOENT)
		return leave_spare(undo,
				   "an interrupted run left a second name, which cannot be removed",
				   name);
	undo->spare = name;
	undo->result->spare_names++;
	return UNDO_CLEANED;
}

/* Does the file with this name have the content in the journal? */
static bool has_content(const struct undo *undo, const char *name)
{
	uint8_t hash[KEEP_HASH_SIZE];
	struct stat status;
	int fd = undo->act->has_hash ? open_regular(&undo->place, name, &status) : -1;
	bool has = fd >= 0 && copy_bytes(fd, -1, hash) == 0 &&
		   memcmp(hash, undo->act->hash, sizeof hash) == 0;

	if (fd >= 0)
		close_content(fd);
	return has;
}

/*
 * Remove a second name next to a file that is as it was before the act. It must be another name of
 * the same file, a link to the kept file, or a complete or incomplete file with the same content.
 * Otherwise somebody changed it, and it stays.
 */
static enum undo_status clean_name(struct undo *undo, const struct stat *named, const char *name,
				   bool may_be_part)
{
	const struct journal_file *kept = &undo->act->kept_file;
	struct stat beside;

	if (name[0] == '\0' || place_status(&undo->place, name, &beside) != 0)
		return UNDO_NOTHING;
	if (S_ISREG(beside.st_mode) &&
	    (is_same_inode(&beside, named) || may_be_part ||
	     (undo->act->action == ACTION_HARDLINK && beside.st_nlink > 1 &&
	      (uint64_t)beside.st_ino == kept->inode) ||
	     (has_content(undo, name) && has_content(undo, undo->place.name))))
		return remove_spare(undo, name);
	return leave_spare(undo,
			   "an interrupted run left another name, and that file has changed since",
			   name);
}

/* Returns UNDO_CLEANED instead of UNDO_NOTHING if a name was left. */
static enum undo_status clean_names(struct undo *undo, const struct stat *named,
				    enum undo_status status)
{
	enum undo_status first = clean_name(undo, named, undo->act->temporary, false);
	enum undo_status second = clean_name(undo, named, undo->second, true);

	if (first == UNDO_LEFT || second == UNDO_LEFT)
		return UNDO_LEFT;
	return status != UNDO_NOTHING ? status : first != UNDO_NOTHING ? first : second;
}

/*
 * Do nothing, because another file has the name. If an act or an earlier undo did not remove its
 * temporary file, the error message contains the name of that file.
 */
static enum undo_status leave_other(struct undo *undo, const char *why)
{
	const char *names[] = {undo->act->temporary, undo->second};
	struct stat beside;

	for (size_t i = 0; i < 2; i++)
		if (names[i][0] != '\0' && place_status(&undo->place, names[i], &beside) == 0)
			return leave_spare(undo, why, names[i]);
	return leave(undo, why);
}

/* ---- Restoring a file ---- */

/* Use a file that was left when undo was ended, if its content is complete; otherwise remove it. */
static int reuse_second(struct undo *undo)
{
	struct stat status;
	int fd;

	if (!has_content(undo, undo->second)) {
		unlinkat(undo->place.directory_fd, undo->second, 0);
		return -1;
	}
	fd = open_regular(&undo->place, undo->second, &status);
	if (fd >= 0)
		fchmod(fd, 0600);
	return fd;
}

/*
 * Copy the content of `from` to a file with the second temporary name. `from` -1: there is no file.
 */
static enum undo_status make_again(struct undo *undo, int from)
{
	uint8_t hash[KEEP_HASH_SIZE];
	enum undo_status status = UNDO_DONE;
	const char *name = undo->second;
	int directory = undo->place.directory_fd, to;
	bool is_whole;

	if (undo_link_name(undo->undoer, undo->act, &undo->place, name))
		return UNDO_DONE;
	to = reuse_second(undo);
	is_whole = to >= 0;
	if (!is_whole && from >= 0)
		to = open_file_at(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (to < 0 && from >= 0 && errno == EEXIST)
		return leave_spare(undo,
				   "an interrupted run left a second name, which cannot be removed",
				   name);
	if (to < 0)
		return from < 0 ? UNDO_LEFT : leave_errno(undo, "cannot make it again");
	if (!is_whole && copy_bytes(from, to, hash) != 0)
		status = leave_errno(undo, "cannot make it again");
	else if (!is_whole && memcmp(hash, undo->act->hash, sizeof hash) != 0)
		status = leave(undo, "the content of the file that was kept has changed");
	else if (dress_file(from, to, undo->act, undo->result) != 0)
		status = leave_errno(undo, "cannot restore its mode and times");
	if (close(to) != 0 && status == UNDO_DONE)
		status = leave_errno(undo, "cannot make it again");
	if (status != UNDO_DONE && !is_whole)
		unlinkat(directory, name, 0);
	return status;
}

/* ---- Hard links ---- */

/* Is it the file whose content was copied, without changes since then? */
static bool is_opened(const struct undo *undo, const struct stat *status, const void *opened)
{
	(void)undo;
	return is_same_content(status, opened);
}

/*
 * Is it a link to the kept file? If the kept file has changed since, it must also have another
 * name.
 */
static bool is_spare_link(const struct undo *undo, const struct stat *status, const void *context)
{
	const struct journal_file *kept = &undo->act->kept_file;

	(void)context;
	return is_file(status, kept) || (S_ISREG(status->st_mode) && status->st_nlink > 1 &&
					 (uint64_t)status->st_ino == kept->inode);
}

/*
 * The name is now a name of the kept file: give it its own file. This file first gets the temporary
 * name of the act, so that undo can continue if it is interrupted.
 */
static enum undo_status part_link(struct undo *undo)
{
	const char *temporary = undo->act->temporary;
	int directory = undo->place.directory_fd;
	struct stat opened, made, beside;
	int fd = open_regular(&undo->place, undo->place.name, &opened);
	enum undo_status status;

	if (fd < 0)
		return leave_errno(undo, "cannot open it");
	if (place_status(&undo->place, temporary, &beside) == 0 &&
	    looks_restored(&beside, &undo->act->copy)) {
		status = UNDO_DONE;
	} else {
		status = make_again(undo, fd);
		if (status == UNDO_DONE &&
		    rename_to_free(directory, undo->second, directory, temporary) != 0)
			temporary = undo->second;
	}
	if (status == UNDO_DONE && place_status(&undo->place, temporary, &made) != 0)
		status = leave_errno(undo, "cannot make it again");
	else if (status == UNDO_DONE) {
		status = put_back(undo, temporary, is_opened, &opened);
		if (status != UNDO_DONE && place_status(&undo->place, temporary, &beside) == 0 &&
		    is_same_inode(&beside, &made))
			unlinkat(directory, temporary, 0);
	}
	close_content(fd);
	return status;
}

static enum undo_status undo_hardlink(struct undo *undo)
{
	const struct journal_act *act = undo->act;
	const char *temporary = act->temporary;
	struct stat named, beside;
	bool is_old_beside = temporary[0] != '\0' &&
			     place_status(&undo->place, temporary, &beside) == 0 &&
			     is_file(&beside, &act->copy);
	enum undo_status status;

	if (place_status(&undo->place, undo->place.name, &named) != 0)
		return leave_errno(undo, "cannot restore it");
	if (is_file(&named, &act->copy)) /* the act ended before the link replaced the file */
		return clean_names(undo, &named, UNDO_NOTHING);
	if (is_old_beside ? !is_spare_link(undo, &named, NULL)
			  : (uint64_t)named.st_ino != act->kept_file.inode)
		return looks_restored(&named, &act->copy) && !is_old_beside
			       ? clean_names(undo, &named, UNDO_NOTHING)
			       : leave_other(undo, "another file has its name now");
	if (!undo->does) {
		undo->result->bytes += is_old_beside || undo_other_name(undo->undoer, act) != NULL
					       ? 0
					       : disk_bytes(&named);
		return UNDO_DONE;
	}
	/* If the old file still exists, the act ended before it was removed. */
	status = is_old_beside ? put_back(undo, temporary, is_spare_link, NULL) : part_link(undo);
	return status == UNDO_DONE && place_status(&undo->place, undo->place.name, &named) == 0
		       ? clean_names(undo, &named, UNDO_DONE)
		       : status;
}

/* ---- Deleted files ---- */

/* Open the file that was kept, or -1. If nothing is changed, it may still be where it was moved to. */
static int open_kept(struct undo *undo, struct stat *status)
{
	const char *path = undo->act->kept;
	const struct path_note *note =
		undo->does ? NULL : path_notes_find(&undo->undoer->notes, bytes_of(path));
	struct simhash_error reason;
	struct place kept;
	int fd;

	if (keeps_member(undo->act))
		return undo_open_member(undo->undoer, undo->act, undo->does, status, undo->why);
	path = note != NULL && note->now != NULL ? note->now : path;
	if (place_open(path, NULL, &kept, &reason) != 0)
		return error_set(undo->why, SIMHASH_E_RANGE,
				 "cannot open the file that was kept, %s: %s", path,
				 reason.message);
	fd = open_regular(&kept, kept.name, status);
	place_close(&kept);
	if (fd < 0)
		error_set_errno(undo->why, "cannot open the file that was kept, %s", path);
	return fd;
}

static enum undo_status make_from_kept(struct undo *undo)
{
	struct stat opened;
	int directory = undo->place.directory_fd, fd = open_kept(undo, &opened);
	bool has_name = undo_other_name(undo->undoer, undo->act) != NULL;
	enum undo_status status;

	if (fd < 0 && !has_name && !has_content(undo, undo->second))
		return UNDO_LEFT;
	if (undo->does) {
		status = make_again(undo, fd);
		if (status == UNDO_DONE &&
		    move_to_free(directory, undo->second, directory, undo->place.name) != 0) {
			status = leave_errno(undo, "cannot put it back");
			unlinkat(directory, undo->second, 0);
		}
	} else if (fd < 0 || has_name || opened.st_size == undo->act->copy.size_bytes) {
		status = UNDO_DONE;
		undo->result->bytes += fd < 0 || has_name ? 0 : disk_bytes(&opened);
	} else {
		status = leave(undo, "the content of the file that was kept has changed");
	}
	if (fd >= 0)
		close_content(fd);
	return status;
}

static enum undo_status undo_delete(struct undo *undo)
{
	const struct journal_act *act = undo->act;
	int directory = undo->place.directory_fd;
	struct stat named, beside;

	if (place_status(&undo->place, undo->place.name, &named) == 0)
		return is_file(&named, &act->copy) || looks_restored(&named, &act->copy)
			       ? clean_names(undo, &named, UNDO_NOTHING)
			       : leave_other(undo, "another file has its name");
	if (errno != ENOENT && !undo->lacks_directory)
		return leave_errno(undo, "cannot restore it");
	/* The removed file still has its temporary name, even if a program has changed it since. */
	if (act->temporary[0] == '\0' || place_status(&undo->place, act->temporary, &beside) != 0 ||
	    !S_ISREG(beside.st_mode))
		return make_from_kept(undo);
	if (!undo->does)
		return UNDO_DONE;
	if (move_to_free(directory, act->temporary, directory, undo->place.name) != 0)
		return leave_errno(undo, "cannot put it back");
	return clean_names(undo, &beside, UNDO_DONE);
}

/* ---- Moved files ---- */

/* Without a rename that keeps existing files, the file has both names for a moment. */
static enum undo_status clean_move(struct undo *undo, const struct stat *named,
				   const struct place *to)
{
	struct stat moved;

	if (place_status(to, to->name, &moved) != 0 || !is_same_inode(&moved, named) ||
	    (uint64_t)named->st_nlink <= undo->act->copy.links)
		return UNDO_NOTHING;
	if (undo->does && unlinkat(to->directory_fd, to->name, 0) != 0) {
		error_set_errno(
			undo->why,
			"an interrupted run left a second name, %s, which cannot be removed",
			undo->act->to);
		return UNDO_LEFT;
	}
	undo->spare = undo->act->to;
	undo->result->spare_names++;
	return UNDO_CLEANED;
}

static enum undo_status move_back(struct undo *undo, const struct place *to)
{
	const struct journal_act *act = undo->act;
	struct stat moved;

	if (place_status(to, to->name, &moved) != 0 || (uint64_t)moved.st_ino != act->copy.inode ||
	    !S_ISREG(moved.st_mode))
		return leave(undo, "it is no longer where it was moved to");
	if (check_removal(to, &moved, undo->why) != 0)
		return UNDO_LEFT;
	if (undo->does && move_to_free(to->directory_fd, to->name, undo->place.directory_fd,
				       undo->place.name) != 0)
		return leave_errno(undo, "cannot put it back");
	return UNDO_DONE;
}

static enum undo_status undo_move(struct undo *undo)
{
	const struct journal_act *act = undo->act;
	struct place to;
	struct stat named;
	enum undo_status status;
	bool is_named = place_status(&undo->place, undo->place.name, &named) == 0;
	bool is_back = is_named && is_file(&named, &act->copy);

	if (is_named && !is_back)
		return leave(undo, "another file has its name");
	if (act->to == NULL || act->to[0] != '/')
		return leave(undo, "the journal does not say where it was moved to");
	if (place_open(act->to, NULL, &to, undo->why) != 0)
		return is_back ? UNDO_NOTHING : UNDO_LEFT;
	status = is_back ? clean_move(undo, &named, &to) : move_back(undo, &to);
	place_close(&to);
	return status;
}

static enum undo_status undo_by_action(struct undo *undo)
{
	enum keep_action action = undo->act->action;

	undo->why->message[0] = '\0';
	*undo->result = (struct undo_result){.bytes = 0};
	if (action == ACTION_MOVE)
		return undo_move(undo);
	if (!undo->act->has_hash)
		return leave(undo, "the journal has no hash of it");
	return action == ACTION_HARDLINK ? undo_hardlink(undo) : undo_delete(undo);
}

/*
 * If names can be added but not removed in the directory, do not begin. The message contains a name
 * that was left there.
 */
static int check_place(struct undo *undo)
{
	struct stat named;
	bool has_name = place_status(&undo->place, undo->place.name, &named) == 0;
	struct simhash_error why;

	if (check_removal(&undo->place, has_name ? &named : NULL, &why) == 0)
		return 0;
	return undo->spare == NULL
		       ? error_set(undo->why, SIMHASH_E_RANGE, "%s", why.message)
		       : error_set(undo->why, SIMHASH_E_RANGE,
				   "an interrupted run left a second name, '%s', and %s",
				   undo->spare, why.message);
}

/* If nothing is changed, later undone acts need to know what this one would have restored. */
static int note_restored(struct undoer *undoer, const struct journal_act *act,
			 struct simhash_error *why)
{
	struct path_note *note;

	if (act->to == NULL && act->action != ACTION_RMDIR)
		return 0;
	if (path_notes_add(&undoer->notes, bytes_of(act->path), &note, why) != 0)
		return -1;
	note->now = act->to;
	return 0;
}

static enum undo_status undo_file(struct undo *undo)
{
	bool does = undo->does;
	enum undo_status status;

	undo->does = false;
	status = undo_by_action(undo);
	if (status > UNDO_NOTHING && !undo->lacks_directory && check_place(undo) != 0)
		return UNDO_LEFT;
	undo->does = does;
	return status > UNDO_NOTHING && does ? undo_by_action(undo) : status;
}

static enum undo_status undo_in_place(struct undo *undo)
{
	if (undo->act->action == ACTION_MKDIR)
		return undo_mkdir(&undo->place, undo->does);
	if (undo->act->action == ACTION_RMDIR)
		return undo_rmdir(&undo->place, undo->does, undo->why);
	second_temporary(undo->act->temporary, undo->second);
	return undo_file(undo);
}

/* Open the directory of the act, unless it would be made again and does not exist yet. */
static int open_place(struct undo *undo)
{
	const char *path = undo->act->path;

	if (place_open(path, NULL, &undo->place, undo->why) == 0)
		return 0;
	undo->lacks_directory = !undo->undoer->does &&
				path_notes_find(&undo->undoer->notes, path_above(bytes_of(path))) !=
					NULL;
	undo->place.name = path_name(path);
	return undo->lacks_directory ? 0 : -1;
}

enum undo_status undo_act(struct undoer *undoer, const struct journal_act *act,
			  struct undo_result *result, struct simhash_error *why)
{
	struct undo undo = {
		.undoer = undoer, .act = act, .does = undoer->does, .why = why, .result = result};
	enum undo_status status;

	*result = (struct undo_result){.bytes = 0};
	if (act->outcome == OUTCOME_LEFT || act->action == ACTION_REFLINK)
		return UNDO_NOTHING; /* a reflink is a complete separate file */
	if (act->action == ACTION_COPY)
		return undo_copy(undoer, act, result, why);
	if (act->action == ACTION_HEAL)
		return undo_heal(undoer, act, result, why);
	if (open_place(&undo) != 0)
		return act->action == ACTION_MKDIR ? UNDO_NOTHING : UNDO_LEFT;
	status = undo_in_place(&undo);
	place_close(&undo.place);
	if (status == UNDO_DONE && !undoer->does && note_restored(undoer, act, why) != 0)
		return UNDO_LEFT;
	if (status != UNDO_LEFT && undo_note_name(undoer, act, why) != 0)
		return UNDO_LEFT;
	return status;
}

void undoer_release(struct undoer *undoer)
{
	undo_members_end(undoer);
	undo_search_end(undoer);
	path_notes_release(&undoer->notes);
	path_notes_release(&undoer->names);
}

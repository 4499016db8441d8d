/*
 * Undoes acts on directories, and restores the attributes of files and directories.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "act/file/attributes.h"
#include "act/file/share_blocks.h"
#include "act/undo/undo_state.h"
#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"

/* ---- Attributes ---- */

static int restore_owner(int fd, const struct journal_file *file, struct stat *now,
			 struct undo_result *result)
{
	if (fstat(fd, now) != 0)
		return -1;
	if (!has_owner(now, file) &&
	    (fchown(fd, (uid_t)file->owner, (gid_t)file->group) == 0 ||
	     fchown(fd, (uid_t)-1, (gid_t)file->group) == 0) &&
	    fstat(fd, now) != 0) /* use the owner that the system has set */
		return -1;
	if (!has_owner(now, file))
		result->owner_note = restored_mode(now, file) == file->mode
					     ? "restored with another owner or group"
					     : "restored with another owner or group, and so with "
					       "fewer permissions";
	return 0;
}

/* The mode is last, because it shows that a directory is restored. */
static int restore_mode_and_times(int fd, const struct journal_file *file, const struct stat *now)
{
	return restore_times(fd, file) != 0 || fchmod(fd, restored_mode(now, file)) != 0 ? -1 : 0;
}

/*
 * Restore the owner first, because a new owner clears capabilities and mode bits; then attributes,
 * times and mode. Attributes that give permissions are restored only together with
 * the owner and the group.
 */
int dress_file(int from, int to, const struct journal_act *act, struct undo_result *result)
{
	struct stat now;

	if (restore_owner(to, &act->copy, &now, result) != 0)
		return -1;
	if (!act->same_attributes || from < 0)
		result->attribute_note = "restored without its extended attributes";
	else if ((act->action == ACTION_HEAL || !keeps_member(act)) &&
		 copy_attributes(from, to, has_owner(&now, &act->copy)) != 0)
		result->attribute_note = "not all of its extended attributes are restored";
	if (restore_mode_and_times(to, &act->copy, &now) != 0 || fsync(to) != 0 ||
	    fstat(to, &now) != 0)
		return -1;
	result->bytes += disk_bytes(&now);
	return 0;
}

/* ---- Directories ---- */

/*
 * The mode of a directory until its files are restored. An interrupted undo is recognized by it;
 * hardly any directory has it.
 */
#define MODE_UNTIL_THEN 01700

static enum undo_status leave(struct simhash_error *why, const char *reason)
{
	error_set(why, SIMHASH_E_RANGE, "%s", reason);
	return UNDO_LEFT;
}

enum undo_status undo_mkdir(const struct place *place, bool does)
{
	/* Files that another program or an act put there stay, and so does the directory. */
	if (does)
		unlinkat(place->directory_fd, place->name, AT_REMOVEDIR);
	return UNDO_NOTHING;
}

enum undo_status undo_rmdir(const struct place *place, bool does, struct simhash_error *why)
{
	struct stat named;

	if (place->directory_fd >= 0 && place_status(place, place->name, &named) == 0)
		return S_ISDIR(named.st_mode) ? UNDO_NOTHING
					      : leave(why, "another file has its name");
	if (does && mkdirat(place->directory_fd, place->name, MODE_UNTIL_THEN) != 0) {
		error_set_errno(why, "cannot make the directory again");
		return UNDO_LEFT;
	}
	return UNDO_DONE;
}

static int dress(const struct place *place, const struct journal_file *file,
		 struct undo_result *result)
{
	struct stat now;
	int fd = open_file_at(place->directory_fd, place->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
			      0);
	int status;

	if (fd < 0)
		return -1;
	status = restore_owner(fd, file, &now, result) == 0 &&
				 restore_mode_and_times(fd, file, &now) == 0
			 ? 0
			 : -1;
	close_keeping_errno(fd);
	return status;
}

enum undo_status undo_finish(const struct journal_act *act, struct undo_result *result,
			     struct simhash_error *why)
{
	struct place place;
	struct stat named;
	enum undo_status status = UNDO_NOTHING;

	*result = (struct undo_result){.bytes = 0};
	if (act->action != ACTION_RMDIR || act->outcome == OUTCOME_LEFT ||
	    place_open(act->path, NULL, &place, why) != 0)
		return UNDO_NOTHING;
	if (place_status(&place, place.name, &named) == 0 && S_ISDIR(named.st_mode) &&
	    (named.st_mode & 07777) == MODE_UNTIL_THEN) {
		status = UNDO_DONE;
		if (dress(&place, &act->copy, result) != 0) {
			error_set_errno(why, "cannot restore its mode and times");
			status = UNDO_LEFT;
		}
	}
	place_close(&place);
	return status;
}

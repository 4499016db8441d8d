/*
 * Undoing: what the names stand for now decides what is left to do.
 * SPDX-License-Identifier: MIT
 */
#include "act/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "act/act.h"
#include "act/rename.h"
#include "act/same_bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open_file.h"

struct undo {
	const struct journal_act *act;
	bool does;
	uint64_t *random;
	struct place place; /* of the file that was acted on */
	struct simhash_error *why;
	const char **note;
};

/* What may go from a name that a file is put back to. */
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

/* What had the name is beside it now, by this one. */
static enum undo_status leave_beside(struct undo *undo, const char *why, const char *temporary)
{
	error_set_errno(undo->why, "%s; what was there is '%s' beside it", why, temporary);
	return UNDO_LEFT;
}

/*
 * Is it this file? Its device may have another number after the system was started again. A hard
 * link changes no time of the content.
 */
static bool is_file(const struct stat *status, const struct journal_file *file)
{
	return S_ISREG(status->st_mode) && (uint64_t)status->st_ino == file->inode &&
	       status->st_size == file->size_bytes && stat_mtime_ns(status) == file->mtime_ns;
}

/* Does it look as the file did, be it restored or never touched? */
static bool looks_restored(const struct stat *status, const struct journal_file *file)
{
	return S_ISREG(status->st_mode) && status->st_size == file->size_bytes &&
	       stat_mtime_ns(status) == file->mtime_ns && (status->st_mode & 07777) == file->mode &&
	       (uint64_t)status->st_nlink <= file->links;
}

/*
 * Put the file of a temporary name back. What has its name by now goes, if it may, and stays if it
 * may not.
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

/* ---- Making a file again ---- */

static struct timespec timespec_of(int64_t ns)
{
	struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_S),
				.tv_nsec = (long)(ns % NS_PER_S)};

	if (time.tv_nsec < 0) {
		time.tv_nsec += NS_PER_S;
		time.tv_sec--;
	}
	return time;
}

/* The owner before the mode, because a new owner clears bits of it; times last. */
static int dress(struct undo *undo, int from, int to)
{
	const struct journal_file *file = &undo->act->copy;
	const struct timespec times[] = {timespec_of(file->atime_ns), timespec_of(file->mtime_ns)};
	struct stat now;

	if (fstat(to, &now) != 0)
		return -1;
	if (((uint32_t)now.st_uid != file->owner || (uint32_t)now.st_gid != file->group) &&
	    fchown(to, (uid_t)file->owner, (gid_t)file->group) != 0)
		*undo->note = "restored with another owner or group";
	if (!undo->act->same_attributes)
		*undo->note = "restored without its extended attributes";
	else if (copy_attributes(from, to) != 0)
		*undo->note = "not all of its extended attributes are restored";
	return fchmod(to, (mode_t)file->mode) != 0 || futimens(to, times) != 0 || fsync(to) != 0
		       ? -1
		       : 0;
}

/* The content of `from` in a new file of a temporary name. */
static enum undo_status make_again(struct undo *undo, int from, char name[TEMPORARY_SIZE])
{
	uint8_t hash[KEEP_HASH_SIZE];
	enum undo_status status = UNDO_DONE;
	int directory = undo->place.directory_fd, to;

	temporary_name(undo->random, name);
	to = open_file_at(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (to < 0)
		return leave_errno(undo, "cannot make it again");
	if (copy_bytes(from, to, hash) != 0)
		status = leave_errno(undo, "cannot make it again");
	else if (memcmp(hash, undo->act->hash, sizeof hash) != 0)
		status = leave(undo, "the file that was kept has other content by now");
	else if (dress(undo, from, to) != 0)
		status = leave_errno(undo, "cannot restore its mode and times");
	if (close(to) != 0 && status == UNDO_DONE)
		status = leave_errno(undo, "cannot make it again");
	if (status != UNDO_DONE)
		unlinkat(directory, name, 0);
	return status;
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

/* ---- Hard links ---- */

/* Is it the file whose content was copied, and that as it was then? */
static bool is_opened(const struct undo *undo, const struct stat *status, const void *opened)
{
	(void)undo;
	return is_same_content(status, opened);
}

/*
 * Is it a link to the file that is kept, as that was? If it has changed since, only where that has
 * another name.
 */
static bool is_spare_link(const struct undo *undo, const struct stat *status, const void *context)
{
	const struct journal_file *kept = &undo->act->kept_file;

	(void)context;
	return is_file(status, kept) || (S_ISREG(status->st_mode) && status->st_nlink > 1 &&
					 (uint64_t)status->st_ino == kept->inode);
}

/*
 * The name is one of the kept file's now: it gets a file of its own. This has the temporary name of
 * the act before it takes the place, so that undoing that is cut off can go on.
 */
static enum undo_status part_link(struct undo *undo)
{
	const char *temporary = undo->act->temporary;
	int directory = undo->place.directory_fd;
	char name[TEMPORARY_SIZE];
	struct stat opened, made, beside;
	int fd = open_regular(&undo->place, undo->place.name, &opened);
	enum undo_status status;

	if (fd < 0)
		return leave_errno(undo, "cannot open it");
	if (place_status(&undo->place, temporary, &beside) == 0 &&
	    looks_restored(&beside, &undo->act->copy)) {
		status = UNDO_DONE;
	} else {
		status = make_again(undo, fd, name);
		if (status == UNDO_DONE &&
		    rename_to_free(directory, name, directory, temporary) != 0)
			temporary = name;
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

/* It was restored, and maybe that was cut off before what had its name went. */
static enum undo_status remove_spare_link(struct undo *undo, const struct stat *beside)
{
	if (undo->does && beside != NULL && beside->st_nlink > 1 &&
	    is_spare_link(undo, beside, NULL))
		unlinkat(undo->place.directory_fd, undo->act->temporary, 0);
	return UNDO_NOTHING;
}

static enum undo_status undo_hardlink(struct undo *undo)
{
	const struct journal_act *act = undo->act;
	const char *temporary = act->temporary;
	struct stat named, beside;
	bool has_beside = temporary[0] != '\0' &&
			  place_status(&undo->place, temporary, &beside) == 0;
	bool is_old_beside = has_beside && is_file(&beside, &act->copy);

	if (place_status(&undo->place, undo->place.name, &named) != 0)
		return leave_errno(undo, "cannot restore it");
	if (is_file(&named, &act->copy)) {
		/* Ended before the link took its place. */
		if (undo->does && has_beside && is_file(&beside, &act->kept_file))
			unlinkat(undo->place.directory_fd, temporary, 0);
		return UNDO_NOTHING;
	}
	if (is_old_beside ? !is_spare_link(undo, &named, NULL)
			  : (uint64_t)named.st_ino != act->kept_file.inode)
		return looks_restored(&named, &act->copy) && !is_old_beside
			       ? remove_spare_link(undo, has_beside ? &beside : NULL)
			       : leave(undo, "it is another file by now");
	if (!undo->does)
		return UNDO_DONE;
	/* Ended before the old file was removed. */
	if (is_old_beside)
		return put_back(undo, temporary, is_spare_link, NULL);
	return part_link(undo);
}

/* ---- Deleted files ---- */

static enum undo_status make_from_kept(struct undo *undo)
{
	int directory = undo->place.directory_fd, fd;
	char name[TEMPORARY_SIZE];
	struct place kept;
	struct stat opened;
	enum undo_status status;

	if (place_open(undo->act->kept, NULL, 0, &kept, undo->why) != 0)
		return UNDO_LEFT;
	fd = open_regular(&kept, kept.name, &opened);
	place_close(&kept);
	if (fd < 0)
		return leave_errno(undo, "cannot open the file that was kept");
	if (undo->does) {
		status = make_again(undo, fd, name);
		if (status == UNDO_DONE &&
		    move_to_free(directory, name, directory, undo->place.name) != 0) {
			status = leave_errno(undo, "cannot put it back");
			unlinkat(directory, name, 0);
		}
	} else {
		status = opened.st_size == undo->act->copy.size_bytes
				 ? UNDO_DONE
				 : leave(undo, "the file that was kept has other content by now");
	}
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
			       ? UNDO_NOTHING
			       : leave(undo, "another file has its name");
	if (errno != ENOENT)
		return leave_errno(undo, "cannot restore it");
	if (act->temporary[0] == '\0' || place_status(&undo->place, act->temporary, &beside) != 0 ||
	    !is_file(&beside, &act->copy))
		return make_from_kept(undo);
	if (undo->does && move_to_free(directory, act->temporary, directory, undo->place.name) != 0)
		return leave_errno(undo, "cannot put it back");
	return UNDO_DONE;
}

/* ---- Moved files ---- */

static enum undo_status undo_move(struct undo *undo)
{
	const struct journal_act *act = undo->act;
	struct place to;
	struct stat named, moved;
	enum undo_status status = UNDO_DONE;
	bool is_named = place_status(&undo->place, undo->place.name, &named) == 0;

	if (is_named && is_file(&named, &act->copy))
		return UNDO_NOTHING;
	if (is_named)
		return leave(undo, "another file has its name");
	if (act->to == NULL || act->to[0] != '/')
		return leave(undo, "the journal does not tell where it went");
	if (place_open(act->to, NULL, 0, &to, undo->why) != 0)
		return UNDO_LEFT;
	if (place_status(&to, to.name, &moved) != 0 || (uint64_t)moved.st_ino != act->copy.inode ||
	    !S_ISREG(moved.st_mode))
		status = leave(undo, "it is no longer where it was moved to");
	else if (undo->does && move_to_free(to.directory_fd, to.name, undo->place.directory_fd,
					    undo->place.name) != 0)
		status = leave_errno(undo, "cannot put it back");
	place_close(&to);
	return status;
}

enum undo_status undo_act(const struct journal_act *act, bool does, uint64_t *random,
			  struct simhash_error *why, const char **note)
{
	struct undo undo = {.act = act, .does = does, .random = random, .why = why, .note = note};
	enum undo_status status = UNDO_NOTHING;

	if (act->outcome == OUTCOME_LEFT || act->action == ACTION_REFLINK)
		return UNDO_NOTHING; /* a reflink is a file of its own, with all it had */
	if (place_open(act->path, NULL, 0, &undo.place, why) != 0)
		return UNDO_LEFT;
	if (act->action == ACTION_HARDLINK)
		status = act->has_hash ? undo_hardlink(&undo)
				       : leave(&undo, "the journal has no hash of it");
	else if (act->action == ACTION_DELETE)
		status = act->has_hash ? undo_delete(&undo)
				       : leave(&undo, "the journal has no hash of it");
	else if (act->action == ACTION_MOVE)
		status = undo_move(&undo);
	place_close(&undo.place);
	return status;
}

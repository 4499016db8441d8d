/*
 * Makes the changes of an act to names and blocks. Each step before the last one can be reversed.
 * The last step is done only if both files are unchanged since they were compared. After it, the
 * kept file is checked again. If it has changed or disappeared, the copy is made again from its
 * open descriptor.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "act/acting/act.h"
#include "act/acting/work.h"
#include "act/file/attributes.h"
#include "act/file/same_bytes.h"
#include "act/file/share_blocks.h"
#include "base/files/open_file.h"
#include "place/rename.h"

/* ---- Checks ---- */

static int was_exchanged(struct work *work)
{
	return refuse(work, "somebody replaced it meanwhile");
}

/* Report this failure if the file could also not get its name back. */
static int was_lost_sight_of(struct work *work, const char *now)
{
	return error_set(work->why, SIMHASH_E_RANGE,
			 "another program replaced it meanwhile; the earlier file is now %s", now);
}

/* Explain why two files are the same file, as far as the system shows it. */
static int is_same_file(struct work *work)
{
	if (work->copy.status.st_dev != work->kept->status.st_dev)
		return refuse(work, "it is the kept file, shown by another file system");
	return refuse(work, "the kept file changed or lost its name at the same time, "
			    "as if both names were of one file");
}

static int check_copy(struct work *work)
{
	return side_is_unchanged(&work->copy) ? 0 : refuse(work, "it has changed meanwhile");
}

static int check_kept(struct work *work)
{
	return side_is_unchanged(work->kept) ? 0 : refuse(work, "the kept file has changed");
}

int check_unchanged(struct work *work)
{
	return check_kept(work) != 0 || check_copy(work) != 0 ? -1 : 0;
}

/* Is this name the compared file, with the same content? */
static bool is_what_was_compared(const struct work *work, const char *name)
{
	struct stat named;

	return place_status(&work->copy.place, name, &named) == 0 &&
	       is_same_inode(&named, &work->copy.status) && side_has_same_times(&work->copy);
}

static int check_writers(struct work *work)
{
	if (!side_has_no_writer(&work->copy))
		return refuse(work, "another program opened it for writing meanwhile");
	return side_has_no_writer(work->kept)
		       ? 0
		       : refuse(work, "another program opened the kept file for writing "
				      "meanwhile");
}

/* The last check before the copy is removed. `name` is its current name, which may be temporary. */
static int check_last(struct work *work, const char *name, bool is_temporary)
{
	if (!sides_are_apart(&work->copy, work->kept, is_temporary ? name : NULL))
		return is_same_file(work);
	return is_what_was_compared(work, name) ? check_writers(work) : was_exchanged(work);
}

/* ---- Restoring the copy ---- */

/* Copy the content, mode, owner, times and attributes of the open copy to a new file. */
static int write_again(const struct work *work, int to)
{
	struct timespec times[2];
	struct stat status;
	uint8_t hash[KEEP_HASH_SIZE];
	bool has_owner;

	if (fstat(work->copy.fd, &status) != 0 || copy_bytes(work->copy.fd, to, hash) != 0)
		return -1;
#ifdef __APPLE__
	times[0] = status.st_atimespec, times[1] = status.st_mtimespec;
#else
	times[0] = status.st_atim, times[1] = status.st_mtim;
#endif
	has_owner = fchown(to, status.st_uid, status.st_gid) == 0;
	copy_attributes(work->copy.fd, to, has_owner); /* copies as many as the system allows */
	return fchmod(to, status.st_mode & (has_owner ? 07777 : 01777)) != 0 ||
			       futimens(to, times) != 0 || fsync(to) != 0
		       ? -1
		       : 0;
}

/* Give the new file the name of the copy, which is free or is now a link to the kept file. */
static int take_name(struct work *work, const char *temporary)
{
	int directory = work->copy.place.directory_fd;
	const char *name = work->copy.place.name;
	struct stat named;

	if (move_to_free(directory, temporary, directory, name) == 0)
		return 0;
	if (work->record.action != ACTION_HARDLINK ||
	    place_status(&work->copy.place, name, &named) != 0 ||
	    !is_same_inode(&named, &work->kept->status))
		return -1;
	return renameat(directory, temporary, directory, name);
}

static int make_again(struct work *work, const char *reason)
{
	char temporary[TEMPORARY_SIZE];
	int directory = work->copy.place.directory_fd, to;

	second_temporary(work->record.temporary, temporary); /* undo searches for this name */
	to = open_file_at(directory, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (to < 0)
		return error_set_errno(work->why, "%s, and the copy cannot be made again", reason);
	if (write_again(work, to) != 0) {
		error_set_errno(work->why, "%s, and the copy cannot be made again", reason);
		unlinkat(directory, temporary, 0);
	} else if (take_name(work, temporary) != 0) {
		was_lost_sight_of(work, temporary);
	} else {
		error_set(work->why, SIMHASH_E_RANGE, "%s, so the copy was made again", reason);
	}
	close(to);
	return -1;
}

/* The copy was removed: check both files again. */
static int check_afterwards(struct work *work)
{
	struct stat now;

	if (!side_is_unchanged(work->kept))
		return make_again(work, "the kept file changed or lost its name at the "
					"last moment");
	/* On a network file system, a file without a name may have no status. */
	if (fd_status(work->copy.fd, &now) == 0 && !is_same_content(&now, &work->copy.status))
		return make_again(work, "somebody wrote to it at the last moment");
	return 0;
}

/* ---- Hard links ---- */

static int remove_beside(struct work *work, const char *temporary)
{
	return unlinkat(work->copy.place.directory_fd, temporary, 0) == 0
		       ? check_afterwards(work)
		       : error_set_errno(work->why, "cannot remove its temporary name %s",
					 temporary);
}

/* If two names cannot be exchanged, check before the step. */
static int replace_in_one(struct work *work, const char *temporary)
{
	int directory = work->copy.place.directory_fd;
	const char *name = work->copy.place.name;
	int status = check_last(work, name, false);

	if (status == 0 && renameat(directory, temporary, directory, name) == 0) {
		side_take_status(work->kept);
		return check_afterwards(work);
	}
	if (status == 0)
		error_set_errno(work->why, "cannot replace it");
	unlinkat(directory, temporary, 0);
	return -1;
}

/* The new name replaces the old one in one step, so one of the two always exists. */
static int replace_by(struct work *work, const char *temporary)
{
	int directory = work->copy.place.directory_fd;
	const char *name = work->copy.place.name;
	struct stat beside;

	/* The next step changes both status times. */
	if (!side_has_same_times(work->kept) || !side_has_same_times(&work->copy)) {
		unlinkat(directory, temporary, 0);
		return refuse(work, "it or the kept file has changed meanwhile");
	}
	if (rename_exchange(directory, temporary, name) != 0) {
		if (errno == ENOTSUP)
			return replace_in_one(work, temporary);
		error_set_errno(work->why, "cannot replace it");
		unlinkat(directory, temporary, 0);
		return -1;
	}
	if (!side_take_status(&work->copy))
		was_exchanged(work);
	else if (!side_take_status(work->kept))
		refuse(work, "the kept file has changed");
	else if (check_last(work, temporary, true) == 0)
		return remove_beside(work, temporary);
	/* Exchange them again, unless somebody replaced the new name meanwhile. */
	if (rename_exchange(directory, temporary, name) != 0 ||
	    place_status(&work->copy.place, temporary, &beside) != 0 ||
	    !is_same_inode(&beside, &work->kept->status))
		return was_lost_sight_of(work, temporary);
	unlinkat(directory, temporary, 0);
	return -1;
}

static int do_hardlink(struct work *work)
{
	const char *temporary = work->record.temporary;
	int directory = work->copy.place.directory_fd;
	struct stat linked;

	/* The link will change the status time of the kept file. */
	if (check_kept(work) != 0)
		return -1;
	if (linkat(work->kept->place.directory_fd, work->kept->place.name, directory, temporary,
		   0) != 0) {
		work->is_full = errno == EMLINK;
		return error_set_errno(work->why, "cannot make a hard link");
	}
	if (!side_take_status(work->kept) ||
	    place_status(&work->copy.place, temporary, &linked) != 0 ||
	    !is_same_inode(&linked, &work->kept->status))
		refuse(work, "the kept file has changed");
	/* If both names are one file, the link also changed the status time of the copy. */
	else if (check_copy(work) == 0)
		return replace_by(work, temporary);
	unlinkat(directory, temporary, 0);
	return -1;
}

/* ---- Deleting and moving ---- */

/* Rename the copy to an unused name. */
static int take_away(const struct work *work, const char *temporary)
{
	int directory = work->copy.place.directory_fd;
	const char *name = work->copy.place.name;
	struct stat status;

	if (rename_to_free(directory, name, directory, temporary) == 0)
		return 0;
	/* A name with 16 random digits is unused. */
	if (errno != ENOTSUP || place_status(&work->copy.place, temporary, &status) == 0)
		return -1;
	return renameat(directory, name, directory, temporary);
}

/* Always returns -1, for the earlier reason, or because the file cannot be put back. */
static int put_back(struct work *work, int from_fd, const char *from, const char *now)
{
	const struct place *to = &work->copy.place;

	if (move_to_free(from_fd, from, to->directory_fd, to->name) == 0)
		return -1;
	/* The file system supports neither such renames nor links. */
	if ((errno == EPERM || errno == ENOTSUP || errno == ENOSYS) && !place_has_name(to) &&
	    renameat(from_fd, from, to->directory_fd, to->name) == 0)
		return -1;
	return was_lost_sight_of(work, now);
}

static int do_delete(struct work *work)
{
	const char *temporary = work->record.temporary;
	int directory = work->copy.place.directory_fd;

	if (take_away(work, temporary) != 0)
		return error_set_errno(work->why, "cannot delete it");
	if (!side_take_status(&work->copy)) {
		was_exchanged(work);
		return put_back(work, directory, temporary, temporary);
	}
	if (check_last(work, temporary, true) != 0)
		return put_back(work, directory, temporary, temporary);
	if (unlinkat(directory, temporary, 0) == 0)
		return check_afterwards(work);
	error_set_errno(work->why, "cannot delete it");
	return put_back(work, directory, temporary, temporary);
}

static int move_to_place(struct work *work, const struct place *to)
{
	const struct place *from = &work->copy.place;
	struct stat moved;

	if (move_to_free(from->directory_fd, from->name, to->directory_fd, to->name) != 0)
		switch (errno) {
		case EXDEV:
			return refuse(work, "it is in another mount than the directory to move to");
		case EEXIST:
			return refuse_taken(work);
		default:
			return error_set_errno(work->why, "cannot move it");
		}
	if (!sides_are_apart(&work->copy, work->kept, NULL))
		is_same_file(work);
	else if (place_status(to, to->name, &moved) != 0 ||
		 is_same_inode(&moved, &work->copy.status))
		return 0;
	else
		was_exchanged(work);
	return put_back(work, to->directory_fd, to->name, work->record.to);
}

static int do_move(struct work *work)
{
	struct place to;
	int status;

	if (place_open(work->record.to, &work->actor->guard, &to, work->why) != 0)
		return -1;
	status = move_to_place(work, &to);
	place_close(&to);
	return status;
}

/* ---- Sharing blocks ---- */

/*
 * Linux lets the owner share blocks of a file that is open for reading, but older kernels do not.
 */
static int do_reflink(struct work *work)
{
	int status =
		share_blocks(work->kept->fd, work->copy.fd, work->copy.status.st_size, work->why);
	int fd;

	if (status == 0 || (errno != EPERM && errno != EACCES && errno != EBADF))
		return status;
	fd = side_open_writable(&work->copy);
	if (fd < 0)
		return status;
	work->why->message[0] = '\0';
	status = share_blocks(work->kept->fd, fd, work->copy.status.st_size, work->why);
	close_content(fd);
	return status;
}

int work_do(struct work *work)
{
	/*
	 * Check now: the first step changes a status time, usually of the copy, and then other
	 * changes of it cannot be noticed.
	 */
	if (check_unchanged(work) != 0)
		return -1;
	switch (work->act->action) {
	case ACTION_HARDLINK:
		return do_hardlink(work);
	case ACTION_REFLINK:
		return do_reflink(work);
	case ACTION_DELETE:
		return do_delete(work);
	case ACTION_MOVE:
		return do_move(work);
	case ACTION_REPORT:
	case ACTION_MKDIR:
	case ACTION_RMDIR:
	case ACTION_COPY:
	case ACTION_HEAL:
		break;
	}
	return refuse(work, "nothing is done with --action=report");
}

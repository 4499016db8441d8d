/*
 * One act: open, check, compare, note in the journal, do it, note what came of it.
 * SPDX-License-Identifier: MIT
 */
#include "act/act.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "act/protected_names.h"
#include "act/rename.h"
#include "act/same_bytes.h"
#include "act/side.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/open_file.h"
#include "base/path.h"

struct work {
	struct actor *actor;
	struct side copy, kept; /* kept.fd -1: there is none */
	struct place to;	/* of a move */
	struct journal_act record;
	struct simhash_error *why;
};

int actor_init(struct actor *actor, const struct act_options *options, struct simhash_error *error)
{
	*actor = (struct actor){.options = *options,
				.random = (uint64_t)clock_wall_ns() * 31 + (uint64_t)getpid()};
	return guard_init(&actor->guard, options->protected, options->protected_count, error);
}

void actor_release(struct actor *actor)
{
	guard_release(&actor->guard);
	protected_names_release(&actor->protected_names);
	saved_bytes_release(&actor->saved);
}

void temporary_name(uint64_t *random, char name[TEMPORARY_SIZE])
{
	uint64_t z = *random += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	snprintf(name, TEMPORARY_SIZE, KEEP_TEMPORARY_PREFIX "%016" PRIx64, z ^ z >> 31);
}

static int refuse(struct work *work, const char *why)
{
	return error_set(work->why, SIMHASH_E_RANGE, "%s", why);
}

/* ---- Opening ---- */

/* The same, of the file that is kept. */
static int open_kept(struct work *work, const struct keep_file *kept)
{
	struct simhash_error why;

	if (side_open(&work->kept, kept, NULL, &why) == 0)
		return 0;
	return error_set(work->why, SIMHASH_E_RANGE, "the file that is kept, %s: %s", kept->path,
			 why.message);
}

static int lock_side(struct work *work, struct side *side, int how)
{
	int writable;

	if (side->fd < 0 || flock(side->fd, how | LOCK_NB) == 0)
		return 0;
	/* A file of NFS can be locked alone only where it is open for writing. */
	if (errno == EBADF && (writable = side_open_writable(side)) >= 0) {
		close(side->fd);
		side->fd = writable;
		if (flock(side->fd, how | LOCK_NB) == 0)
			return 0;
	}
	if (errno == EWOULDBLOCK)
		return refuse(work, "another program has locked it or the file that is kept");
	return error_set_errno(work->why, "cannot lock it");
}

static int check_unchanged(struct work *work)
{
	if (!side_is_unchanged(&work->copy))
		return refuse(work, "it has changed meanwhile");
	return side_is_unchanged(&work->kept) ? 0
					      : refuse(work, "the file that is kept has changed");
}

/* ---- What can be done ---- */

/*
 * A name that a protected directory has for the file that is kept: a hard link to it would be one to
 * what is protected. Links that were made here have names that are known not to be.
 */
static int check_other_names(struct work *work)
{
	struct actor *actor = work->actor;
	const struct stat *kept = &work->kept.status;
	bool is_known = actor->linked.device == (uint64_t)kept->st_dev &&
			actor->linked.inode == (uint64_t)kept->st_ino;
	bool is_found = false;

	if (actor->options.protected_count == 0 ||
	    (uint64_t)kept->st_nlink == 1 + (is_known ? actor->linked.names : 0))
		return 0;
	if (protected_names_look(&actor->protected_names, actor->options.protected,
				 actor->options.protected_count, kept, &is_found, work->why) != 0)
		return -1;
	return is_found ? refuse(work, "the file that is kept has another name, which is protected")
			: 0;
}

/* A hard link has one owner, one mode and one list of attributes for both names. */
static int check_link(struct work *work)
{
	const struct stat *copy = &work->copy.status, *kept = &work->kept.status;

	if (copy->st_uid != kept->st_uid || copy->st_gid != kept->st_gid ||
	    copy->st_mode != kept->st_mode)
		return refuse(work,
			      "its owner, group or mode is not that of the file that is kept");
	if (!work->record.same_attributes)
		return refuse(work,
			      "its extended attributes are not those of the file that is kept");
	return check_other_names(work);
}

static int check_act(struct work *work)
{
	const struct stat *copy = &work->copy.status, *kept = &work->kept.status;
	enum keep_action action = work->actor->options.action;
	bool shares = action == ACTION_HARDLINK || action == ACTION_REFLINK;

	if (action != ACTION_REFLINK && check_removal(&work->copy.place, copy, work->why) != 0)
		return -1;
	if ((copy->st_mode & S_IWUSR) == 0)
		return refuse(work, "it is read-only");
	if (work->kept.fd < 0)
		return 0;
	if (is_same_inode(copy, kept))
		return refuse(work, "it is the same file as the one that is kept");
	if (shares && copy->st_dev != kept->st_dev)
		return refuse(work, "it is on another file system than the file that is kept");
	if (action == ACTION_REFLINK && copy->st_size == 0)
		return refuse(work, "it is empty");
	if (action == ACTION_REFLINK)
		return check_sharing(work->kept.fd, work->copy.fd, work->why);
	return action == ACTION_HARDLINK ? check_link(work) : 0;
}

/* Where a file goes: below the directory of --action=move:DIR, by its whole path. */
static int prepare_move(struct work *work, const char *path, char **to)
{
	const char *top = work->actor->options.move_to;
	struct place existing;
	struct stat status;

	if (path_is_at_or_below(bytes_of(path), bytes_of(top)))
		return refuse(work, "it is there already");
	*to = path_join(bytes_of(top), bytes_of(path + 1));
	if (*to == NULL)
		return error_set_memory(work->why);
	work->record.to = *to;
	if (work->actor->options.journal != NULL)
		return place_open(*to, &work->actor->guard, PLACE_MAKES, &work->to, work->why);
	/* Nothing is made. Where it is to go is missing, as a rule. */
	if (place_open(*to, NULL, 0, &existing, &(struct simhash_error){.code = 0}) != 0)
		return 0;
	if (place_status(&existing, existing.name, &status) == 0)
		refuse(work, "a file is where it would go");
	place_close(&existing);
	return work->why->message[0] == '\0' ? 0 : -1;
}

static int check_device(struct work *work)
{
	struct stat top;

	if (stat(work->actor->options.move_to, &top) == 0 && top.st_dev != work->copy.status.st_dev)
		return refuse(work, "it is on another file system than the directory to move to");
	return 0;
}

/* ---- Comparing ---- */

static int compare(struct work *work)
{
	int same;

	if (work->kept.fd < 0)
		return 0;
	same = same_bytes(work->copy.fd, work->kept.fd, work->record.hash);
	if (same < 0)
		return error_set_errno(work->why, "cannot read it or the file that is kept");
	if (same == 0)
		return refuse(work, "its content is not that of the file that is kept");
	work->record.has_hash = true;
	return 0;
}

/* What is kept may have just been written: it is on the disk before its copy goes. */
static int sync_kept(struct work *work)
{
	enum keep_action action = work->actor->options.action;

	if (work->kept.fd < 0 || (action != ACTION_DELETE && action != ACTION_HARDLINK) ||
	    fsync(work->kept.fd) == 0 || errno == EINVAL || errno == EROFS || errno == ENOTSUP)
		return 0;
	return error_set_errno(work->why, "cannot write the file that is kept to the disk");
}

/* ---- Doing ---- */

static int was_exchanged(struct work *work)
{
	return refuse(work, "somebody replaced it meanwhile");
}

/* The same, where what was there could not be put back. */
static int was_lost_sight_of(struct work *work, const char *now)
{
	return error_set(work->why, SIMHASH_E_RANGE,
			 "somebody replaced it meanwhile; what was there is %s", now);
}

static int is_same_file(struct work *work)
{
	return refuse(work, "it is the file that is kept, by another file system");
}

/* Is this name the file that was compared, and is the other one still what it was compared to? */
static bool is_what_was_compared(const struct work *work, const char *name)
{
	struct stat named, now;

	return place_status(&work->copy.place, name, &named) == 0 &&
	       is_same_inode(&named, &work->copy.status) && fstat(work->copy.fd, &now) == 0 &&
	       is_same_content(&now, &work->copy.status) && side_is_unchanged(&work->kept);
}

static int look_at_kept(struct work *work, struct stat *before)
{
	if (work->kept.fd >= 0 && fstat(work->kept.fd, before) != 0)
		return error_set_errno(work->why, "cannot look at the file that is kept");
	return 0;
}

static int remove_beside(struct work *work, const char *temporary)
{
	return unlinkat(work->copy.place.directory_fd, temporary, 0) == 0
		       ? 0
		       : error_set_errno(work->why, "cannot remove %s beside it", temporary);
}

/* The new name takes the place of the old one; never is there neither. */
static int replace_by(struct work *work, const char *temporary)
{
	int directory = work->copy.place.directory_fd;
	const char *name = work->copy.place.name;
	struct stat beside;

	if (rename_exchange(directory, temporary, name) == 0) {
		if (is_what_was_compared(work, temporary))
			return remove_beside(work, temporary);
		/* Unless what came meanwhile was replaced in turn. */
		if (rename_exchange(directory, temporary, name) != 0 ||
		    place_status(&work->copy.place, temporary, &beside) != 0 ||
		    !is_same_inode(&beside, &work->kept.status))
			return was_lost_sight_of(work, temporary);
		unlinkat(directory, temporary, 0);
		return was_exchanged(work);
	}
	if (errno == ENOTSUP && is_what_was_compared(work, name) &&
	    renameat(directory, temporary, directory, name) == 0)
		return 0;
	error_set_errno(work->why, "cannot replace it");
	unlinkat(directory, temporary, 0);
	return -1;
}

static int do_hardlink(struct work *work)
{
	const char *temporary = work->record.temporary;
	int directory = work->copy.place.directory_fd;
	struct stat linked;

	if (linkat(work->kept.place.directory_fd, work->kept.place.name, directory, temporary, 0) !=
	    0)
		return error_set_errno(work->why, "cannot make a hard link");
	if (fstatat(directory, temporary, &linked, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !is_same_inode(&linked, &work->kept.status)) {
		unlinkat(directory, temporary, 0);
		return was_exchanged(work);
	}
	return replace_by(work, temporary);
}

/*
 * Where a rename may take the place of another name: a second name, for a moment, tells whether this
 * is the file that is kept. Without one, only a file of the same file system can go.
 */
static int delete_in_place(struct work *work, const struct stat *before)
{
	const char *temporary = work->record.temporary, *name = work->copy.place.name;
	int directory = work->copy.place.directory_fd;
	bool has_second = linkat(directory, name, directory, temporary, 0) == 0;
	int status = 0;

	if (!has_second && work->copy.status.st_dev != work->kept.status.st_dev)
		return refuse(work, "whether it is the file that is kept, by another file system, "
				    "cannot be told");
	if (has_second && !sides_are_apart(&work->copy, &work->kept, before, temporary))
		status = is_same_file(work);
	else if (!is_what_was_compared(work, name))
		status = was_exchanged(work);
	else if (unlinkat(directory, name, 0) != 0)
		status = error_set_errno(work->why, "cannot delete it");
	if (has_second)
		unlinkat(directory, temporary, 0);
	return status;
}

static int do_delete(struct work *work)
{
	const char *temporary = work->record.temporary, *name = work->copy.place.name;
	int directory = work->copy.place.directory_fd;
	struct stat before;
	bool is_other;

	if (look_at_kept(work, &before) != 0)
		return -1;
	if (rename_to_free(directory, name, directory, temporary) != 0)
		return errno == ENOTSUP ? delete_in_place(work, &before)
					: error_set_errno(work->why, "cannot delete it");
	is_other = sides_are_apart(&work->copy, &work->kept, &before, temporary);
	if (is_other && is_what_was_compared(work, temporary)) {
		if (unlinkat(directory, temporary, 0) == 0)
			return 0;
		error_set_errno(work->why, "cannot delete it");
		return rename_to_free(directory, temporary, directory, name) == 0
			       ? -1
			       : was_lost_sight_of(work, temporary);
	}
	if (rename_to_free(directory, temporary, directory, name) != 0)
		return was_lost_sight_of(work, temporary);
	return is_other ? was_exchanged(work) : is_same_file(work);
}

static int do_move(struct work *work)
{
	const struct place *from = &work->copy.place, *to = &work->to;
	struct stat moved, before;
	bool is_other;

	if (look_at_kept(work, &before) != 0)
		return -1;
	if (move_to_free(from->directory_fd, from->name, to->directory_fd, to->name) != 0)
		return errno == EXDEV
			       ? refuse(work, "it is on another file system than the directory to "
					      "move to")
			       : error_set_errno(work->why, "cannot move it");
	is_other = sides_are_apart(&work->copy, &work->kept, &before, NULL);
	if (is_other &&
	    (place_status(to, to->name, &moved) != 0 || is_same_inode(&moved, &work->copy.status)))
		return 0;
	if (move_to_free(to->directory_fd, to->name, from->directory_fd, from->name) != 0)
		return was_lost_sight_of(work, work->record.to);
	return is_other ? was_exchanged(work) : is_same_file(work);
}

/* Linux lets the owner do it with a file that is open for reading; older kernels do not. */
static int do_reflink(struct work *work)
{
	int status =
		share_blocks(work->kept.fd, work->copy.fd, work->copy.status.st_size, work->why);
	int fd;

	if (status == 0 || (errno != EPERM && errno != EACCES && errno != EBADF))
		return status;
	fd = side_open_writable(&work->copy);
	if (fd < 0)
		return status;
	work->why->message[0] = '\0';
	status = share_blocks(work->kept.fd, fd, work->copy.status.st_size, work->why);
	close(fd);
	return status;
}

static int do_it(struct work *work)
{
	switch (work->actor->options.action) {
	case ACTION_HARDLINK:
		return do_hardlink(work);
	case ACTION_REFLINK:
		return do_reflink(work);
	case ACTION_DELETE:
		return do_delete(work);
	case ACTION_MOVE:
		return do_move(work);
	case ACTION_REPORT:
		break;
	}
	return refuse(work, "nothing is done with --action=report");
}

/* ---- One act ---- */

/* All that is looked at before something is done. */
static int prepare(struct work *work, const struct planned_act *act, char **to)
{
	struct actor *actor = work->actor;
	const struct guard *guard = &actor->guard;
	bool moves = actor->options.action == ACTION_MOVE;

	if (side_open(&work->copy, act->file, guard, work->why) != 0 ||
	    (act->kept != NULL && open_kept(work, act->kept) != 0))
		return -1;
	if (act->kept != NULL)
		work->record.same_attributes = has_same_attributes(work->copy.fd, work->kept.fd);
	if (act->kept == NULL && act->file->size_bytes == KEEP_SIZE_UNKNOWN)
		return refuse(work, "its decision has neither size nor mtime");
	if (check_act(work) != 0 || (moves && check_device(work) != 0))
		return -1;
	if (actor->options.journal != NULL &&
	    (lock_side(work, &work->copy, LOCK_EX) != 0 ||
	     lock_side(work, &work->kept, LOCK_SH) != 0 || check_unchanged(work) != 0 ||
	     compare(work) != 0 || sync_kept(work) != 0 || check_unchanged(work) != 0))
		return -1;
	return moves ? prepare_move(work, act->file->path, to) : 0;
}

static void fill_record(struct work *work, const struct planned_act *act)
{
	struct journal_act *record = &work->record;
	enum keep_action action = work->actor->options.action;

	record->action = action;
	record->path = act->file->path;
	record->kept = act->kept == NULL ? NULL : act->kept->path;
	if (action == ACTION_HARDLINK || action == ACTION_DELETE)
		temporary_name(&work->actor->random, record->temporary);
	journal_file_set(&record->copy, &work->copy.status);
	if (act->kept != NULL)
		journal_file_set(&record->kept_file, &work->kept.status);
}

/* One more name of the file that is kept, as is known. */
static void note_link(struct work *work)
{
	struct linked_names *linked = &work->actor->linked;
	uint64_t device = (uint64_t)work->kept.status.st_dev;
	uint64_t inode = (uint64_t)work->kept.status.st_ino;

	if (linked->device != device || linked->inode != inode)
		*linked = (struct linked_names){device, inode, 0};
	linked->names++;
}

/*
 * From the journal to the journal. A signal that would end the program waits until it is over; but not
 * for reflinks, which take long, and leave nothing half done.
 */
static int carry_out(struct work *work, struct act_result *result, struct simhash_error *error)
{
	struct journal *journal = work->actor->options.journal;
	sigset_t ending, before;
	int status;

	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGQUIT);
	if (work->actor->options.action == ACTION_REFLINK)
		sigemptyset(&ending);
	pthread_sigmask(SIG_BLOCK, &ending, &before);
	status = journal_begin(journal, &work->record, error);
	if (status == 0) {
		if (do_it(work) != 0)
			result->saved_bytes = 0;
		else if (work->actor->options.action == ACTION_HARDLINK)
			note_link(work);
		status = journal_end(journal, &work->record,
				     result->why.message[0] == '\0' ? NULL : result->why.message,
				     error);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return status;
}

int actor_act(struct actor *actor, const struct planned_act *act, struct act_result *result,
	      struct simhash_error *error)
{
	struct work work = {.actor = actor,
			    .copy = {.place = {.directory_fd = -1}, .fd = -1},
			    .kept = {.place = {.directory_fd = -1}, .fd = -1},
			    .to = {.directory_fd = -1},
			    .why = &result->why};
	int status = 0;

	*result = (struct act_result){.to = NULL};
	if (prepare(&work, act, &result->to) != 0)
		goto out;
	status = saved_bytes_count(&actor->saved, actor->options.action,
				   actor->options.journal != NULL, &work.copy.status,
				   &result->saved_bytes, error);
	if (status == 0 && actor->options.journal != NULL) {
		fill_record(&work, act);
		status = carry_out(&work, result, error);
	}
out:
	place_close(&work.to);
	side_close(&work.kept);
	side_close(&work.copy);
	return status;
}

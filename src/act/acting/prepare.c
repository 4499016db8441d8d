/*
 * Opens and compares the files of an act, and checks whether the act is possible.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "act/acting/act.h"
#include "act/acting/work.h"
#include "act/file/attributes.h"
#include "act/file/protected_names.h"
#include "act/file/same_bytes.h"
#include "act/file/share_blocks.h"
#include "base/files/open_file.h"
#include "base/files/path.h"

/* ---- Opening ---- */

static int lock_side(struct work *work, struct side *side, int how)
{
	int writable;

	if (side->fd < 0 || flock(side->fd, how | LOCK_NB) == 0)
		return 0;
	/* On NFS, an exclusive lock requires a file that is open for writing. */
	if (errno == EBADF && (writable = side_open_writable(side)) >= 0) {
		close_content(side->fd);
		side->fd = writable;
		if (flock(side->fd, how | LOCK_NB) == 0)
			return 0;
	}
	work->is_locked_elsewhere = errno == EWOULDBLOCK;
	if (errno == EWOULDBLOCK)
		return refuse(work, "another program has locked it or the kept file");
	return error_set_errno(work->why, "cannot lock it");
}

/* Does an act of the batch need the open archive? */
static bool uses_archive(const struct actor *actor)
{
	for (size_t i = 0; i < actor->work_count; i++)
		if (actor->works[i].kept == &actor->archive.side)
			return true;
	return false;
}

/*
 * A member of an archive is kept. The archive stays open and locked until another one is needed, so
 * all acts that keep its members share it.
 */
static int open_archive(struct work *work)
{
	struct kept_archive *archive = &work->actor->archive;
	bool locks = work->actor->options.journal != NULL;
	struct simhash_error why;

	work->kept = &archive->side;
	if (kept_archive_has_open(archive, work->kept_file))
		return 0;
	work->is_locked_elsewhere = uses_archive(work->actor);
	if (work->is_locked_elsewhere)
		return refuse(work, "members of another archive are being compared");
	if (kept_archive_open(archive, work->kept_file, &why) != 0)
		return error_set(work->why, SIMHASH_E_RANGE, "the archive of the kept file, %s: %s",
				 work->kept_file->path, why.message);
	if (locks && lock_side(work, work->kept, LOCK_SH) != 0) {
		kept_archive_close(archive);
		return -1;
	}
	if (locks && side_sync(work->kept) != 0)
		work->kept->sync_error = errno;
	return 0;
}

/* The copy may be the archive whose members were kept before. */
static void release_archive(struct work *work)
{
	struct kept_archive *archive = &work->actor->archive;

	if (archive->side.fd >= 0 && !uses_archive(work->actor) &&
	    is_same_inode(&archive->side.status, &work->copy.status))
		kept_archive_close(archive);
}

/* Acts of one batch share the kept file. */
static int open_kept(struct work *work)
{
	const struct keep_file *kept = work->kept_file;
	struct work *last = work == work->actor->works ? NULL : work - 1;
	struct simhash_error why;

	if (kept->archive_bytes > 0)
		return open_archive(work);
	if (last != NULL && last->kept_file == kept) {
		work->kept = last->kept;
		return 0;
	}
	if (side_open(work->kept, kept, NULL, &why) == 0)
		return 0;
	return error_set(work->why, SIMHASH_E_RANGE, "the kept file, %s: %s", kept->path,
			 why.message);
}

/* ---- Checks ---- */

/*
 * Does a protected directory have another name of the kept file? A hard link to it would then be a
 * link to a protected file. The links that this run made are not in a protected directory.
 */
static int check_other_names(struct work *work)
{
	struct actor *actor = work->actor;
	const struct stat *kept = &work->kept->status;
	bool is_known = actor->linked.device == (uint64_t)kept->st_dev &&
			actor->linked.inode == (uint64_t)kept->st_ino;
	bool is_found = false;

	if (actor->options.protected_count == 0 ||
	    (uint64_t)kept->st_nlink == 1 + (is_known ? actor->linked.names : 0))
		return 0;
	if (protected_names_look(&actor->protected_names, actor->options.protected,
				 actor->options.protected_count, kept, &is_found, work->why) != 0)
		return -1;
	return is_found ? refuse(work, "the kept file has another name, which is protected") : 0;
}

/*
 * Can the copy become a hard link? Both names of a hard link share one owner, one mode and one list
 * of attributes.
 */
static int check_link(struct work *work)
{
	const struct stat *copy = &work->copy.status, *kept = &work->kept->status;

	if (copy->st_uid != kept->st_uid || copy->st_gid != kept->st_gid ||
	    copy->st_mode != kept->st_mode)
		return refuse(work, "its owner, group or mode differs from the kept file");
	if (!work->record.same_attributes)
		return refuse(work, "its extended attributes differ from the kept file");
	return check_other_names(work);
}

static int check_act(struct work *work)
{
	const struct stat *copy = &work->copy.status, *kept = &work->kept->status;
	enum keep_action action = work->act->action;
	bool shares = action == ACTION_HARDLINK || action == ACTION_REFLINK;

	if (action != ACTION_REFLINK && check_removal(&work->copy.place, copy, work->why) != 0)
		return -1;
	if ((copy->st_mode & S_IWUSR) == 0 && action != ACTION_MOVE &&
	    !(action == ACTION_DELETE && work->actor->options.deletes_read_only))
		return refuse(work, "it is read-only");
	if (work->kept->fd < 0)
		return 0;
	work->is_same_already = is_same_inode(copy, kept) && work->kept_file != work->act->kept &&
				work->kept_file != &work->copied;
	if (is_same_inode(copy, kept))
		return refuse(work, "it is the same file as the one that is kept");
	if (shares && copy->st_dev != kept->st_dev)
		return refuse(work, "it is on another file system than the kept file");
	if (shares && work->kept_file->archive_bytes > 0)
		return refuse(work, "the kept file is in an archive");
	if (action == ACTION_REFLINK && copy->st_size == 0)
		return refuse(work, "it is empty");
	if (action == ACTION_REFLINK &&
	    check_sharing(work->kept->fd, work->copy.fd, work->why) != 0)
		return -1;
	work->is_shared_already = action == ACTION_REFLINK &&
				  has_same_blocks(work->kept->fd, work->copy.fd);
	if (work->is_shared_already)
		return refuse(work, "it already shares the blocks of the kept file");
	return action == ACTION_HARDLINK ? check_link(work) : 0;
}

/*
 * Find the target of a move: the given path, or the complete path of the file below the directory
 * of --action=move:DIR.
 */
static int find_target(struct work *work)
{
	const char *top = work->actor->options.move_to, *path = work->act->file->path;
	const char *given = work->act->to;
	char *to;

	if (given != NULL ? strcmp(path, given) == 0
			  : path_is_at_or_below(bytes_of(path), bytes_of(top)))
		return refuse(work, "it is there already");
	to = given != NULL ? strdup(given) : path_join(bytes_of(top), bytes_of(path + 1));
	if (to == NULL)
		return error_set_memory(work->why);
	work->record.to = work->result->to = to;
	return 0;
}

static int prepare_move(struct work *work)
{
	const char *to;
	struct place existing;
	struct stat status;

	if (find_target(work) != 0)
		return -1;
	to = work->record.to;
	if (faccessat(work->copy.place.directory_fd, ".", W_OK | X_OK, AT_EACCESS) != 0)
		return error_set_errno(work->why, "it cannot be moved out of its directory");
	if (place_reach(to, &work->actor->guard, &existing, work->why) != 0)
		return -1;
	if (strchr(existing.name, '/') != NULL)
		work->missing = existing.name;
	if (work->is_far)
		far_check_target(work, &existing);
	/* An earlier act of the batch may remove the file that has the name now. */
	else if (work->actor->options.journal == NULL && work->missing == NULL &&
		 place_status(&existing, existing.name, &status) == 0)
		refuse_taken(work);
	place_close(&existing);
	return work->why->message[0] == '\0' ? 0 : -1;
}

/* The status of the last directory above a path that exists. */
static int status_above(const char *path, struct stat *status)
{
	char *text = strdup(path), *slash;
	int found = -1;

	while (text != NULL && found != 0 && (slash = strrchr(text, '/')) != NULL) {
		slash[slash == text] = '\0';
		found = stat(text, status);
		if (slash == text)
			break;
	}
	free(text);
	return found;
}

static void find_device(struct work *work)
{
	const char *to = work->act->to;
	struct stat top;

	work->is_far = (to == NULL ? stat(work->actor->options.move_to, &top)
				   : status_above(to, &top)) == 0 &&
		       top.st_dev != work->copy.status.st_dev;
}

/* ---- Other names of moved files ---- */

/* In a run that changes nothing, examine the move as well. */
static bool would_move(const struct work *work)
{
	const struct planned_act move = {
		.file = work->act->kept, .action = ACTION_MOVE, .to = work->act->to};
	struct act_result result = {.outcome = ACT_PENDING};
	struct work other = {.actor = work->actor,
			     .act = &move,
			     .copy = {.place = {.directory_fd = -1}, .fd = -1},
			     .own_kept = {.place = {.directory_fd = -1}, .fd = -1},
			     .target = {.place = {.directory_fd = -1}, .fd = -1},
			     .kept = &other.own_kept,
			     .result = &result,
			     .why = &result.why};
	bool would = work_prepare(&other) == 0 && other.is_far;

	side_close(&other.copy);
	free(result.to);
	return would;
}

/* A move that was left alone has not removed the other name. */
static bool has_moved(const struct work *work)
{
	struct simhash_error ignored;
	struct place other;
	struct stat named;
	bool has;

	if (place_open(work->act->kept->path, NULL, &other, &ignored) != 0)
		return true;
	has = place_status(&other, other.name, &named) != 0 ||
	      !is_same_inode(&named, &work->copy.status);
	place_close(&other);
	return has;
}

/* The kept file is the moved one, which may have lost its exact time. */
static int prepare_after_move(struct work *work)
{
	bool does = work->actor->options.journal != NULL;

	if (!(does ? has_moved(work) : would_move(work)))
		return refuse(work, "it is another name (hard link) of a file that does not move");
	work->copied = (struct keep_file){.path = work->act->to, .size_bytes = KEEP_SIZE_UNKNOWN};
	work->kept_file = does ? &work->copied : NULL;
	return 0;
}

/* ---- Comparing ---- */

void work_note_piece(const struct work *work)
{
	_Atomic uint64_t *counter = work->actor->options.far_bytes;

	if (work->is_far && counter != NULL)
		atomic_fetch_add(counter, SAME_BYTES_PIECE);
}

/* Another program that opens the file waits for the lease to end, so stop before the last byte. */
static bool has_no_writer(const void *context)
{
	const struct work *work = context;

	work_note_piece(work);
	return side_has_no_writer(&work->copy) && side_has_no_writer(work->kept) &&
	       !(work->is_far && far_has_signal());
}

/* A member that is missing now, or cannot be read, differs. */
static int compare_member(struct work *work)
{
	const struct keep_file *kept = work->kept_file;
	int64_t size_bytes = work->copy.status.st_size;
	const uint8_t *bytes = kept_archive_find(&work->actor->archive, kept->path, size_bytes);

	if (bytes == NULL)
		return 0;
	return is_same_as_bytes(work->copy.fd, bytes, (size_t)size_bytes, work->record.hash,
				has_no_writer, work);
}

static int compare(struct work *work)
{
	int same;

	if (work->kept->fd < 0)
		return 0;
	if (work->kept_file->archive_bytes > 0)
		same = compare_member(work);
	else
		same = same_bytes(work->copy.fd, work->kept->fd, work->record.hash, has_no_writer,
				  work);
	if (same < 0 && errno == ECANCELED && work->is_far && far_has_signal())
		return refuse(work, "interrupted");
	if (same < 0 && errno == ECANCELED)
		return refuse(work, "another program opened it or the kept file for "
				    "writing meanwhile");
	if (same < 0)
		return error_set_errno(work->why, "cannot read it or the kept file");
	if (same == 0 && work->kept_file->archive_bytes > 0)
		return refuse(work, "the archive has no member with its content now, or cannot be "
				    "read");
	if (same == 0)
		return refuse(work, "its content differs from the kept file");
	work->record.has_hash = true;
	return 0;
}

/* Watch both files for writes from now on. For reflinks, the kernel itself compares the files. */
static int watch(struct work *work)
{
	struct simhash_error why;

	if ((work->kept->fd < 0 && !work->is_far) || work->act->action == ACTION_REFLINK)
		return 0;
	if (work->kept->sync_error != 0) {
		errno = work->kept->sync_error;
		return error_set_errno(work->why, "cannot flush the kept file to the disk");
	}
	if (side_watch(&work->copy, work->why) != 0)
		return -1;
	return side_watch(work->kept, &why) == 0
		       ? 0
		       : error_set(work->why, why.code, "the kept file: %s", why.message);
}

/* ---- One act ---- */

/* The checks before the files are compared. */
int work_prepare(struct work *work)
{
	struct actor *actor = work->actor;
	const struct keep_file *file = work->act->file;
	bool moves = work->act->action == ACTION_MOVE;

	if (side_open(&work->copy, file, &actor->guard, work->why) != 0)
		return -1;
	release_archive(work);
	if (follows_move(work->act) && prepare_after_move(work) != 0)
		return -1;
	if (work->kept_file != NULL && open_kept(work) != 0)
		return -1;
	if (work->kept_file != NULL)
		work->record.same_attributes =
			work->kept_file->archive_bytes > 0
				? !has_attributes(work->copy.fd)
				: has_same_attributes(work->copy.fd, work->kept->fd);
	if (work->kept_file == NULL && file->size_bytes == KEEP_SIZE_UNKNOWN)
		return refuse(work, "its decision has neither size nor mtime");
	if (check_act(work) != 0)
		return -1;
	if (moves)
		find_device(work);
	if (actor->options.journal != NULL &&
	    (lock_side(work, &work->copy, LOCK_EX) != 0 ||
	     (work->kept == &work->own_kept && lock_side(work, work->kept, LOCK_SH) != 0)))
		return -1;
	return moves && actor->options.journal == NULL ? prepare_move(work) : 0;
}

static void fill_record(struct work *work)
{
	struct journal_act *record = &work->record;
	enum keep_action action = work->act->action;

	record->action = work->is_far && action == ACTION_MOVE ? ACTION_COPY : action;
	record->path = work->act->file->path;
	record->kept = work->kept_file == NULL ? NULL : work->kept_file->path;
	if (action == ACTION_HARDLINK || action == ACTION_DELETE || work->is_far)
		temporary_name(&work->actor->random, record->temporary);
	journal_file_set(&record->copy, &work->copy.status);
	if (work->kept_file != NULL)
		journal_file_set(&record->kept_file, &work->kept->status);
}

/* Watch both files for writes, compare them, and then check them again. */
int work_examine(struct work *work)
{
	if (watch(work) != 0 || compare(work) != 0 || check_unchanged(work) != 0 ||
	    (work->act->action == ACTION_MOVE && prepare_move(work) != 0))
		return -1;
	fill_record(work);
	return 0;
}

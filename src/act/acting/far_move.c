/*
 * Moves the files of a batch to another file system. Each file is copied to a temporary name in its
 * new directory, read again and renamed. Then the batch deletes the files, and the copies are the
 * kept files. Before that, the space that a plan needs there is added up.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif

#include "act/acting/act.h"
#include "act/acting/work.h"
#include "act/file/attributes.h"
#include "act/file/same_bytes.h"
#include "act/file/share_blocks.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "place/rename.h"

#define FAT_SIZE_MAX ((int64_t)UINT32_MAX)

int far_check_target(struct work *work, const struct place *existing)
{
	struct stat status;

	if (strchr(existing->name, '/') == NULL &&
	    place_status(existing, existing->name, &status) == 0)
		return refuse_taken(work);
#ifdef MSDOS_SUPER_MAGIC
	struct statfs target;
	if (work->copy.status.st_size > FAT_SIZE_MAX &&
	    fstatfs(existing->directory_fd, &target) == 0 && target.f_type == MSDOS_SUPER_MAGIC)
		return refuse(work, "it is too large for the file system of the directory to move "
				    "to, whose files have less than 4 GiB");
#endif
	return 0;
}

/* ---- Copying ---- */

bool far_has_signal(void)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction now;
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (sigismember(&pending, numbers[i]) == 1 &&
		    sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
			return true;
	return false;
}

static bool goes_on(const void *context)
{
	const struct work *work = context;

	work_note_piece(work);
	return !far_has_signal() && side_has_no_writer(&work->copy);
}

static int copying_failed(struct work *work, const char *what)
{
	if (errno != ECANCELED)
		return error_set_errno(work->why, "%s", what);
	return refuse(work, far_has_signal() ? "interrupted"
					     : "another program opened it for writing meanwhile");
}

static bool is_known_hash(const uint8_t hash[KEEP_HASH_SIZE])
{
	static const uint8_t none[KEEP_HASH_SIZE];

	return memcmp(hash, none, KEEP_HASH_SIZE) != 0;
}

/*
 * Give the copy all attributes of the file. The new file system or the user may be unable to set
 * the owner, the mode or the exact time. The file is moved without these, but it is not moved
 * without attributes that a user has set.
 */
static int dress(struct work *work)
{
	const struct journal_file *file = &work->record.copy;
	int from = work->copy.fd, to = work->target.fd;
	struct stat now;

	if (fchown(to, (uid_t)file->owner, (gid_t)file->group) != 0 &&
	    fchown(to, (uid_t)-1, (gid_t)file->group) != 0)
		work->lost |= LOST_OWNER;
	if (fstat(to, &now) != 0)
		return error_set_errno(work->why, "cannot copy it");
	copy_attributes(from, to, has_owner(&now, file));
	if (lacks_attributes(from, to))
		return refuse(work,
			      "its extended attributes or its access list cannot be stored in "
			      "the directory to move to");
	if (fchmod(to, restored_mode(&now, file)) != 0)
		work->lost |= LOST_MODE;
	if (restore_times(to, file) != 0)
		work->lost |= LOST_TIME;
	if (fstat(to, &now) != 0)
		return error_set_errno(work->why, "cannot copy it");
	work->lost |= (has_owner(&now, file) ? 0 : LOST_OWNER) |
		      ((uint32_t)(now.st_mode & 07777) == file->mode ? 0 : LOST_MODE) |
		      (stat_mtime_ns(&now) == file->mtime_ns ? 0 : LOST_TIME);
	return 0;
}

static int copy(struct work *work)
{
	struct side *target = &work->target;
	const uint8_t *indexed = work->act->file->hash;

	if (place_open(work->record.to, &work->actor->guard, &target->place, work->why) != 0)
		return -1;
	target->path = work->record.to;
	target->fd = open_file_at(target->place.directory_fd, work->record.temporary,
				  O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (target->fd < 0)
		return error_set_errno(work->why, "cannot make a file in the directory to move to");
	work->has_temporary = true;
	if (copy_bytes_while(work->copy.fd, target->fd, work->record.hash, goes_on, work) != 0)
		return copying_failed(work, "cannot copy it");
	if (is_known_hash(indexed) && memcmp(indexed, work->record.hash, KEEP_HASH_SIZE) != 0)
		return refuse(work, "its content differs from the index, although its size and "
				    "time are the same");
	return dress(work);
}

/* Open the synchronized copy again, so that reading it does not change its access time. */
static int open_to_read(struct work *work)
{
	struct side *target = &work->target;
	int fd = open_file_at(target->place.directory_fd, work->record.temporary,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
	struct stat now;

	if (fd < 0)
		return error_set_errno(work->why, "cannot open its copy again");
	close(target->fd);
	target->fd = fd;
	return fstat(fd, &now) == 0 && is_same_content(&now, &target->status)
		       ? 0
		       : refuse(work, "another program replaced its copy meanwhile");
}

/* Read the copy again, from the disk if possible. */
static int verify(struct work *work)
{
	uint8_t hash[KEEP_HASH_SIZE];

	if (open_to_read(work) != 0)
		return -1;
#ifdef POSIX_FADV_DONTNEED
	posix_fadvise(work->target.fd, 0, 0, POSIX_FADV_DONTNEED);
#endif
	if (copy_bytes_while(work->target.fd, -1, hash, goes_on, work) != 0)
		return copying_failed(work, "cannot read its copy again");
	if (memcmp(hash, work->record.hash, KEEP_HASH_SIZE) != 0)
		return refuse(work, "its copy has other bytes when it is read again; the disk of "
				    "the directory to move to may be damaged");
	if (!side_has_no_writer(&work->copy))
		return refuse(work, "another program opened it for writing meanwhile");
	return check_unchanged(work);
}

/*
 * Some file systems, such as exFAT through FUSE, have neither renames that replace nothing nor
 * links. There, make an empty file, which fails if another file has the name, and replace it. Undo
 * recognizes the empty file, because the temporary name exists at the same time.
 */
static int claim_name(const struct work *work)
{
	const struct place *place = &work->target.place;
	int directory = place->directory_fd, fd, status;
	struct stat made, named;

	fd = open_file_at(directory, place->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -1;
	status = fstat(fd, &made);
	close(fd); /* FUSE does not replace a file that is open */
	if (status == 0 && place_status(place, place->name, &named) == 0 &&
	    is_same_content(&made, &named))
		status = renameat(directory, work->record.temporary, directory, place->name);
	else
		status = -1;
	if (status != 0)
		unlinkat(directory, place->name, 0);
	return status;
}

static int take_name(struct work *work)
{
	const struct place *place = &work->target.place;
	int directory = place->directory_fd;
	int status = move_to_free(directory, work->record.temporary, directory, place->name);

	if (status != 0 &&
	    (errno == EINVAL || errno == EPERM || errno == ENOTSUP || errno == ENOSYS))
		status = claim_name(work);
	if (status == 0) {
		work->has_temporary = false;
		return 0;
	}
	if (errno == EEXIST)
		return refuse_taken(work);
	return error_set_errno(work->why, errno == EINVAL || errno == EILSEQ || errno == ENOENT
						  ? "the file system of the directory to move to "
						    "does not accept its name"
						  : "cannot give its copy the name");
}

/* ---- The batch ---- */

static bool is_pending(const struct work *work)
{
	return work->result->outcome == ACT_PENDING;
}

static void leave(struct work *work)
{
	if (work->has_temporary)
		unlinkat(work->target.place.directory_fd, work->record.temporary, 0);
	work->has_temporary = false;
	work->result->outcome = ACT_LEFT;
}

static int sync_directory(const struct work *work)
{
	int fd = open_file_at(work->target.place.directory_fd, ".", O_RDONLY | O_DIRECTORY, 0);
	int status = fd < 0 ? -1 : fsync(fd);

	if (fd >= 0)
		close_keeping_errno(fd);
	return status == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : -1;
}

/*
 * Synchronize the copies with the disk, or their new names. For many files, the complete file
 * system is synchronized.
 */
static void sync_targets(struct actor *actor, bool names)
{
	const struct work *last = NULL;
	bool is_all = false;

	for (size_t i = 0; i < actor->work_count; i++) {
		struct work *work = &actor->works[i];
		if (!is_pending(work) ||
		    (is_all && work->target.status.st_dev == last->target.status.st_dev))
			continue;
		is_all = i + 1 < actor->work_count && side_sync_all(&work->target);
		last = work;
		if (is_all || (names ? sync_directory(work) : side_sync(&work->target)) == 0)
			continue;
		error_set_errno(work->why, "cannot flush its copy to the disk");
		if (names)
			unlinkat(work->target.place.directory_fd, work->target.place.name, 0);
		leave(work);
	}
}

/* Do a step for all works that are not left. Stop all of them if a signal waits. */
static void for_each(struct actor *actor, int (*step)(struct work *work))
{
	for (size_t i = 0; i < actor->work_count; i++) {
		struct work *work = &actor->works[i];
		if (!is_pending(work))
			continue;
		if (far_has_signal())
			refuse(work, "interrupted");
		if (work->why->message[0] != '\0' || step(work) != 0)
			leave(work);
	}
}

static int copy_and_look(struct work *work)
{
	return copy(work) != 0 ? -1
	       : fd_status(work->target.fd, &work->target.status) != 0
		       ? error_set_errno(work->why, "cannot copy it")
		       : 0;
}

static void close_target(struct work *work)
{
	side_close(&work->target);
	work->target = (struct side){.place = {.directory_fd = -1}, .fd = -1};
}

/* Open the copy by its new path, as any file that is kept. */
static int open_copy(struct work *work)
{
	const struct stat written = work->target.status;

	close_target(work);
	work->copied = (struct keep_file){.path = work->record.to, .size_bytes = KEEP_SIZE_UNKNOWN};
	if (side_open(&work->target, &work->copied, &work->actor->guard, work->why) == 0 &&
	    (!is_same_content(&work->target.status, &written) ||
	     /* FUSE may have kept a status from before the rename. */
	     !side_take_status(&work->target)))
		refuse(work, "another program replaced its copy meanwhile");
	if (work->why->message[0] != '\0') {
		close_target(work); /* so this file is not removed */
		return -1;
	}
	return flock(work->target.fd, LOCK_SH | LOCK_NB) == 0
		       ? 0
		       : error_set_errno(work->why, "cannot lock its copy");
}

int far_copy(struct actor *actor, struct simhash_error *error)
{
	int status = 0;

	for_each(actor, copy_and_look);
	sync_targets(actor, false);
	for_each(actor, verify);
	for_each(actor, take_name);
	sync_targets(actor, true);
	for (size_t i = 0; i < actor->work_count; i++) {
		struct work *work = &actor->works[i];
		if (work->record.number == 0)
			continue; /* left before the batch began */
		if (journal_end(actor->options.journal, &work->record,
				is_pending(work) ? NULL : work->why->message, error) != 0)
			status = -1;
	}
	return status;
}

/* ---- Deleting the files afterwards ---- */

void far_begin_removal(struct actor *actor)
{
	for (size_t i = 0; i < actor->work_count; i++) {
		struct work *work = &actor->works[i];
		const char *to = work->record.to;
		if (!is_pending(work))
			continue;
		work->removal = (struct planned_act){
			.file = work->act->file, .kept = &work->copied, .action = ACTION_DELETE};
		work->act = &work->removal;
		work->kept_file = &work->copied;
		work->kept = &work->target;
		work->missing = NULL;
		work->record = (struct journal_act){.to = to};
		work->has_copy = true;
		if (open_copy(work) != 0)
			work->result->outcome = ACT_LEFT;
		else
			work->record.same_attributes =
				has_same_attributes(work->copy.fd, work->target.fd);
	}
}

/* The file could not be deleted. Remove its copy, but only if the file is as it was. */
static void remove_copy(struct work *work)
{
	struct side *target = &work->target;
	struct simhash_error why = *work->why;

	if (target->fd >= 0 && side_is_unchanged(&work->copy) && side_is_unchanged(target) &&
	    unlinkat(target->place.directory_fd, target->place.name, 0) == 0)
		return;
	error_set(work->why, why.code, "%s; its copy stays: %s", why.message, work->copied.path);
}

static unsigned note_lost(struct actor *actor, const struct work *work)
{
	uint64_t device = (uint64_t)work->target.status.st_dev;

	if (actor->told.device != device)
		actor->told = (struct lost_attributes){device, 0};
	device = work->lost & ~actor->told.lost;
	actor->told.lost |= work->lost;
	return (unsigned)device;
}

void far_end(struct actor *actor)
{
	for (size_t i = 0; i < actor->work_count; i++) {
		struct work *work = &actor->works[i];
		if (work->has_copy && work->result->outcome == ACT_LEFT)
			remove_copy(work);
		if (work->result->outcome == ACT_DONE)
			work->result->lost = note_lost(actor, work);
	}
}

/* ---- Space ---- */

/* The directory of the last target that was looked up, which is often the same. */
struct last_target {
	struct bytes directory;
	struct stat status;
	char *existing; /* owned */
	bool is_known;
};

/* Find the last directory above a path that exists. */
static bool find_existing(struct last_target *last, struct bytes directory)
{
	char *text;

	if (last->is_known && bytes_compare(last->directory, directory) == 0)
		return true;
	free(last->existing);
	last->existing = text = strndup(directory.data, directory.size);
	last->directory = directory;
	last->is_known = false;
	while (text != NULL && !last->is_known) {
		char *slash = strrchr(text, '/');
		last->is_known = stat(text[0] == '\0' ? "/" : text, &last->status) == 0;
		if (last->is_known || slash == NULL)
			break;
		*slash = '\0';
	}
	return last->is_known;
}

static struct far_space *space_of(struct far_spaces *spaces, const struct last_target *last)
{
	uint64_t device = (uint64_t)last->status.st_dev;
	struct far_space *space = spaces->list;
	struct statvfs status;

	for (; space < spaces->list + spaces->count; space++)
		if (space->device == device)
			return space;
	if (spaces->count == FAR_SPACES_MAX)
		return NULL;
	*space = (struct far_space){.device = device, .free_bytes = UINT64_MAX};
	space->directory = strdup(last->existing[0] == '\0' ? "/" : last->existing);
	if (space->directory != NULL && statvfs(space->directory, &status) == 0)
		space->free_bytes = (uint64_t)status.f_bavail * status.f_frsize;
	spaces->count++;
	return space;
}

static void add_move(struct far_spaces *spaces, const struct planned_act *act, const char *move_to,
		     struct last_target *last)
{
	struct bytes directory = act->to != NULL ? path_directory(act->to) : bytes_of(move_to);
	struct far_space *space;
	struct stat status;

	if (lstat(act->file->path, &status) != 0 || !S_ISREG(status.st_mode) ||
	    !find_existing(last, directory) || status.st_dev == last->status.st_dev ||
	    (space = space_of(spaces, last)) == NULL)
		return;
	space->files++;
	space->needed_bytes += disk_bytes(&status);
	space->file_bytes += (uint64_t)status.st_size;
}

/* Earlier acts free space there. */
static void subtract_deletions(struct far_spaces *spaces, const struct plan *plan)
{
	struct stat status;

	for (size_t i = 0; i < plan->count; i++) {
		const struct planned_act *act = &plan->acts[i];
		if (act->action != ACTION_DELETE || lstat(act->file->path, &status) != 0 ||
		    status.st_nlink > 1)
			continue;
		for (size_t j = 0; j < spaces->count; j++)
			if (spaces->list[j].device == (uint64_t)status.st_dev &&
			    spaces->list[j].free_bytes != UINT64_MAX)
				spaces->list[j].free_bytes += disk_bytes(&status);
	}
}

void far_spaces_add_up(struct far_spaces *spaces, const struct plan *plan, const char *move_to)
{
	struct last_target last = {.existing = NULL};

	*spaces = (struct far_spaces){.count = 0};
	for (size_t i = 0; i < plan->count; i++)
		if (plan->acts[i].action == ACTION_MOVE &&
		    (plan->acts[i].to != NULL || move_to != NULL))
			add_move(spaces, &plan->acts[i], move_to, &last);
	free(last.existing);
	if (spaces->count > 0)
		subtract_deletions(spaces, plan);
}

void far_spaces_release(struct far_spaces *spaces)
{
	while (spaces->count > 0)
		free(spaces->list[--spaces->count].directory);
}

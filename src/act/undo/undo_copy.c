/*
 * Undoes the copy of a move to another file system. By then the file itself is back.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "act/file/attributes.h"
#include "act/file/same_bytes.h"
#include "act/undo/undo_state.h"
#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "place/rename.h"

/* FAT stores times in steps of two seconds. */
#define TIME_STEP_NS (2 * NS_PER_S)

/* The file and its copy. */
struct undo_pair {
	const struct journal_act *act;
	struct place from, to;
	int from_fd, to_fd;
	struct stat from_status, to_status;
	struct simhash_error *why;
};

static enum undo_status leave(struct undo_pair *pair, const char *why)
{
	error_set(pair->why, SIMHASH_E_RANGE, "its copy %s stays: %s", pair->act->to, why);
	return UNDO_LEFT;
}

static enum undo_status leave_errno(struct undo_pair *pair, const char *what)
{
	error_set_errno(pair->why, "its copy %s stays: %s", pair->act->to, what);
	return UNDO_LEFT;
}

static int open_side(const struct place *place, struct stat *status)
{
	int fd = open_file_at(place->directory_fd, place->name,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);

	if (fd >= 0 && (fd_status(fd, status) != 0 || !S_ISREG(status->st_mode))) {
		close_content(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

static bool always(const void *context)
{
	(void)context;
	return true;
}

static bool has_time(const struct stat *status, const struct journal_file *file)
{
	return llabs(stat_mtime_ns(status) - file->mtime_ns) < TIME_STEP_NS;
}

/*
 * Rename the copy first. If both names were of one file, which two file systems show, the file
 * would then have another status time or no name.
 */
static enum undo_status remove_copy(struct undo_pair *pair)
{
	int directory = pair->to.directory_fd;
	const char *temporary = pair->act->temporary;
	struct stat now, moved;

	if (rename_to_free(directory, pair->to.name, directory, temporary) != 0 &&
	    (errno != ENOTSUP || renameat(directory, pair->to.name, directory, temporary) != 0))
		return leave_errno(pair, "it cannot be removed");
	if (place_has_name(&pair->from) && place_status(&pair->from, pair->from.name, &now) == 0 &&
	    is_same_content(&now, &pair->from_status) &&
	    stat_ctime_ns(&now) == stat_ctime_ns(&pair->from_status) &&
	    place_status(&pair->to, temporary, &moved) == 0 &&
	    is_same_content(&moved, &pair->to_status) && unlinkat(directory, temporary, 0) == 0)
		return UNDO_DONE;
	if (move_to_free(directory, temporary, directory, pair->to.name) != 0)
		return leave_errno(pair, "it has a temporary name that begins with .simkeep-");
	return leave(pair, "one of the two files has changed meanwhile");
}

static enum undo_status compare_and_remove(struct undo_pair *pair)
{
	uint8_t hash[KEEP_HASH_SIZE];
	int same;

	if (!has_time(&pair->to_status, &pair->act->copy))
		return leave(pair, "it has changed since");
	if (is_same_inode(&pair->from_status, &pair->to_status))
		return leave(pair, "it is the file itself");
	same = same_bytes(pair->from_fd, pair->to_fd, hash, always, NULL);
	if (same < 0)
		return leave_errno(pair, "it cannot be compared with the file");
	if (same == 0)
		return leave(pair, "its content differs from the file");
	return remove_copy(pair);
}

/* If nothing is done, a later act would have restored the file. */
static enum undo_status judge(struct undo_pair *pair, const struct undoer *undoer)
{
	const struct path_note *note = path_notes_find(&undoer->notes, bytes_of(pair->act->path));

	if (pair->from_fd < 0 && !undoer->does && note != NULL)
		return pair->to_status.st_size == pair->act->copy.size_bytes &&
				       has_time(&pair->to_status, &pair->act->copy)
			       ? UNDO_DONE
			       : leave(pair, "it has changed since");
	if (pair->from_fd < 0)
		return leave_errno(pair, "the file is not back");
	if (pair->from_status.st_size != pair->to_status.st_size)
		return leave(pair, "its content differs from the file");
	return undoer->does ? compare_and_remove(pair) : UNDO_DONE;
}

/* Does the file exist, or would it be restored? */
static bool has_file(struct undo_pair *pair, const struct undoer *undoer)
{
	struct simhash_error ignored;
	struct stat named;

	if (!undoer->does && path_notes_find(&undoer->notes, bytes_of(pair->act->path)) != NULL)
		return true;
	return (pair->from.directory_fd >= 0 ||
		place_open(pair->act->path, NULL, &pair->from, &ignored) == 0) &&
	       place_status(&pair->from, pair->from.name, &named) == 0 && S_ISREG(named.st_mode);
}

/* Remove an incomplete copy. The file exists, unless somebody has removed it since. */
static enum undo_status clean(struct undo_pair *pair, const struct undoer *undoer,
			      struct undo_result *result)
{
	const char *name = pair->act->temporary;
	struct stat left, named;

	if (name[0] == '\0' || place_status(&pair->to, name, &left) != 0)
		return UNDO_NOTHING;
	if (!S_ISREG(left.st_mode) || !has_file(pair, undoer) ||
	    /* An empty file reserved the name (far_move.c). */
	    (undoer->does && place_status(&pair->to, pair->to.name, &named) == 0 &&
	     S_ISREG(named.st_mode) && named.st_size == 0 &&
	     unlinkat(pair->to.directory_fd, pair->to.name, 0) != 0) ||
	    (undoer->does && unlinkat(pair->to.directory_fd, name, 0) != 0 && errno != ENOENT)) {
		error_set(pair->why, SIMHASH_E_RANGE,
			  "an interrupted run left a second name next to %s, which cannot be "
			  "removed: %s",
			  pair->act->to, name);
		return UNDO_LEFT;
	}
	result->spare_names++;
	return UNDO_CLEANED;
}

static enum undo_status undo_pair(struct undo_pair *pair, const struct undoer *undoer,
				  struct undo_result *result)
{
	enum undo_status cleaned;

	if (check_removal(&pair->to, NULL, pair->why) != 0)
		return UNDO_LEFT;
	cleaned = clean(pair, undoer, result);
	if (cleaned == UNDO_LEFT)
		return UNDO_LEFT;
	pair->to_fd = open_side(&pair->to, &pair->to_status);
	if (pair->to_fd < 0)
		return errno == ENOENT ? cleaned : leave_errno(pair, "it cannot be opened");
	result->copy_mtime_ns = stat_mtime_ns(&pair->to_status);
	if (pair->from.directory_fd >= 0 ||
	    place_open(pair->act->path, NULL, &pair->from, pair->why) == 0)
		pair->from_fd = open_side(&pair->from, &pair->from_status);
	return judge(pair, undoer);
}

enum undo_status undo_copy(const struct undoer *undoer, const struct journal_act *act,
			   struct undo_result *result, struct simhash_error *why)
{
	struct undo_pair pair = {
		.act = act, .from = {.directory_fd = -1}, .from_fd = -1, .to_fd = -1, .why = why};
	enum undo_status status;

	result->copy_mtime_ns = act->copy.mtime_ns;
	why->message[0] = '\0';
	if (act->to == NULL || act->to[0] != '/') {
		error_set(why, SIMHASH_E_RANGE, "the journal does not say where it was copied to");
		return UNDO_LEFT;
	}
	/* Without its directory, there is no copy. */
	if (place_open(act->to, NULL, &pair.to, why) != 0)
		return UNDO_NOTHING;
	status = undo_pair(&pair, undoer, result);
	if (pair.from_fd >= 0)
		close_content(pair.from_fd);
	if (pair.to_fd >= 0)
		close_content(pair.to_fd);
	place_close(&pair.from);
	place_close(&pair.to);
	return status;
}

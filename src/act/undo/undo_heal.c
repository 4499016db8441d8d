/*
 * Undoes healing: makes the damaged file again from the healed one and the saved bytes.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "act/file/attributes.h"
#include "act/file/damaged_bytes.h"
#include "act/file/same_bytes.h"
#include "act/file/share_blocks.h"
#include "act/undo/undo_state.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "place/rename.h"

struct undo_heal {
	const struct undoer *undoer;
	const struct journal_act *act;
	struct place place;
	char second[TEMPORARY_SIZE]; /* the name under which the damaged file is made */
	struct undo_result *result;
	struct simhash_error *why;
};

static enum undo_status leave(struct undo_heal *undo, const char *why)
{
	error_set(undo->why, SIMHASH_E_RANGE, "%s", why);
	return UNDO_LEFT;
}

static enum undo_status leave_errno(struct undo_heal *undo, const char *what)
{
	error_set_errno(undo->why, "%s", what);
	return UNDO_LEFT;
}

static int open_name(const struct undo_heal *undo, const char *name)
{
	return open_file_at(undo->place.directory_fd, name,
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
}

/* Is it the damaged file itself, which was not replaced? */
static bool is_damaged_file(const struct undo_heal *undo, const struct stat *status)
{
	const struct journal_file *file = &undo->act->copy;

	return S_ISREG(status->st_mode) && (uint64_t)status->st_ino == file->inode &&
	       status->st_size == file->size_bytes && stat_mtime_ns(status) == file->mtime_ns;
}

static bool has_time_of_act(const struct undo_heal *undo, const struct stat *status)
{
	return S_ISREG(status->st_mode) && stat_mtime_ns(status) == undo->act->copy.mtime_ns;
}

static bool has_hash(const struct place *place, const uint8_t hash[KEEP_HASH_SIZE])
{
	uint8_t found[KEEP_HASH_SIZE];
	int fd = open_file_at(place->directory_fd, place->name,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	bool has = fd >= 0 && copy_bytes(fd, -1, found) == 0 &&
		   memcmp(found, hash, KEEP_HASH_SIZE) == 0;

	if (fd >= 0)
		close_content(fd);
	return has;
}

/* ---- Names that a kill left ---- */

/* Remove a temporary name. It is another file's, or a file that this act or an earlier undo made. */
static enum undo_status clean_name(struct undo_heal *undo, const char *name)
{
	struct stat beside;

	if (place_status(&undo->place, name, &beside) != 0)
		return UNDO_NOTHING;
	if (!S_ISREG(beside.st_mode) ||
	    (undo->undoer->does && unlinkat(undo->place.directory_fd, name, 0) != 0)) {
		error_set(undo->why, SIMHASH_E_RANGE,
			  "an interrupted run left a second name, which cannot be removed: '%s' in "
			  "its directory",
			  name);
		return UNDO_LEFT;
	}
	undo->result->spare_names++;
	return UNDO_CLEANED;
}

static enum undo_status clean_names(struct undo_heal *undo, enum undo_status status)
{
	enum undo_status first = clean_name(undo, undo->act->temporary);
	enum undo_status second = clean_name(undo, undo->second);

	if (first == UNDO_LEFT || second == UNDO_LEFT)
		return UNDO_LEFT;
	return status != UNDO_NOTHING ? status : first != UNDO_NOTHING ? first : second;
}

/* ---- Restoring ---- */

/* Give the file with a temporary name the name of the healed file, and remove that. */
static enum undo_status exchange(struct undo_heal *undo, const char *temporary,
				 const struct stat *healed)
{
	int directory = undo->place.directory_fd;
	const char *name = undo->place.name;
	struct stat beside;

	if (rename_exchange(directory, temporary, name) != 0)
		return errno == ENOTSUP && renameat(directory, temporary, directory, name) == 0
			       ? UNDO_DONE
			       : leave_errno(undo, "cannot put the damaged file back");
	if (place_status(&undo->place, temporary, &beside) == 0 &&
	    is_same_content(&beside, healed) && unlinkat(directory, temporary, 0) == 0)
		return UNDO_DONE;
	rename_exchange(directory, temporary, name);
	return leave(undo, "it has changed meanwhile");
}

static enum undo_status make_damaged(struct undo_heal *undo, int from)
{
	const struct journal_act *act = undo->act;
	int directory = undo->place.directory_fd, to;
	uint8_t hash[KEEP_HASH_SIZE];
	enum undo_status status = UNDO_DONE;

	unlinkat(directory, undo->second, 0); /* an interrupted undo may have left it */
	to = open_file_at(directory, undo->second, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (to < 0)
		return leave_errno(undo, "cannot make it again");
	if (damaged_bytes_restore(undo->undoer->journal, act->bytes_at, act->bytes, from,
				  act->copy.size_bytes, to, hash) != 0)
		status = leave_errno(undo,
				     "its damaged bytes, which are next to the journal, cannot "
				     "be restored");
	else if (memcmp(hash, act->damaged_hash, KEEP_HASH_SIZE) != 0)
		status = leave(undo, "the bytes that were saved next to the journal have changed");
	else if (dress_file(from, to, act, undo->result) != 0)
		status = leave_errno(undo, "cannot restore its mode and times");
	if (close(to) != 0 && status == UNDO_DONE)
		status = leave_errno(undo, "cannot make it again");
	if (status != UNDO_DONE)
		unlinkat(directory, undo->second, 0);
	return status;
}

static enum undo_status restore(struct undo_heal *undo, const struct stat *healed)
{
	int from = open_name(undo, undo->place.name);
	enum undo_status status;

	if (from < 0)
		return leave_errno(undo, "cannot open it");
	status = make_damaged(undo, from);
	close_content(from);
	if (status == UNDO_DONE)
		status = exchange(undo, undo->second, healed);
	if (status != UNDO_DONE)
		unlinkat(undo->place.directory_fd, undo->second, 0);
	return status;
}

/* Another name of the file: link it to the name that is restored already. */
static enum undo_status restore_link(struct undo_heal *undo, const struct stat *healed)
{
	const struct journal_act *act = undo->act;
	int directory = undo->place.directory_fd;
	enum undo_status status;
	struct place main;
	struct stat other;
	int linked;

	if (place_open(act->to, NULL, &main, undo->why) != 0)
		return UNDO_LEFT;
	unlinkat(directory, undo->second, 0);
	linked = (place_status(&main, main.name, &other) == 0 && is_damaged_file(undo, &other)) ||
				 has_hash(&main, act->damaged_hash)
			 ? linkat(main.directory_fd, main.name, directory, undo->second, 0)
			 : (errno = ESTALE, -1);
	place_close(&main);
	if (linked != 0)
		return leave_errno(undo, "cannot make a hard link to its other name again");
	status = exchange(undo, undo->second, healed);
	if (status != UNDO_DONE)
		unlinkat(directory, undo->second, 0);
	return status;
}

/* Is it, after an earlier undo, the restored file? Other names must be links of it. */
static bool is_restored(const struct undo_heal *undo, const struct stat *named)
{
	const struct journal_act *act = undo->act;
	struct simhash_error ignored;
	struct place main;
	struct stat other;
	bool is_link = act->to == NULL;

	if (named->st_size != act->copy.size_bytes || !has_time_of_act(undo, named) ||
	    !has_hash(&undo->place, act->damaged_hash))
		return false;
	if (is_link || place_open(act->to, NULL, &main, &ignored) != 0)
		return is_link;
	is_link = place_status(&main, main.name, &other) == 0 && is_same_inode(&other, named);
	place_close(&main);
	return is_link;
}

/* The damaged file still exists under the temporary name. */
static enum undo_status take_back(struct undo_heal *undo, const struct stat *named, bool has_name)
{
	const char *temporary = undo->act->temporary;
	int directory = undo->place.directory_fd;

	if (!undo->undoer->does)
		return UNDO_DONE;
	if (has_name)
		return exchange(undo, temporary, named);
	return move_to_free(directory, temporary, directory, undo->place.name) == 0
		       ? UNDO_DONE
		       : leave_errno(undo, "cannot put it back");
}

static enum undo_status judge(struct undo_heal *undo)
{
	const struct journal_act *act = undo->act;
	struct stat named, beside;
	bool has_name = place_status(&undo->place, undo->place.name, &named) == 0;
	bool is_beside = place_status(&undo->place, act->temporary, &beside) == 0 &&
			 is_damaged_file(undo, &beside);
	bool is_healed;

	if (has_name && is_damaged_file(undo, &named))
		return clean_names(undo, UNDO_NOTHING);
	is_healed = has_name && has_time_of_act(undo, &named) && has_hash(&undo->place, act->hash);
	if (is_beside && (is_healed || !has_name))
		return take_back(undo, &named, has_name);
	if (has_name && is_restored(undo, &named))
		return act->unreadable_bytes > 0 &&
				       memcmp(act->hash, act->damaged_hash, KEEP_HASH_SIZE) == 0
			       ? leave(undo, "its blocks that could not be read cannot be restored")
			       : clean_names(undo, UNDO_NOTHING);
	if (!is_healed)
		return has_name ? leave(undo, "it has changed since it was healed")
				: leave_errno(undo, "cannot restore it");
	undo->result->bytes = undo->undoer->does || act->to != NULL ? 0 : disk_bytes(&named);
	if (undo->undoer->does &&
	    (act->to != NULL ? restore_link(undo, &named) : restore(undo, &named)) != UNDO_DONE)
		return UNDO_LEFT;
	if (act->unreadable_bytes > 0)
		undo->result->attribute_note =
			"restored, but its blocks that could not be read keep "
			"the right bytes";
	return clean_names(undo, UNDO_DONE);
}

enum undo_status undo_heal(const struct undoer *undoer, const struct journal_act *act,
			   struct undo_result *result, struct simhash_error *why)
{
	struct undo_heal undo = {.undoer = undoer, .act = act, .result = result, .why = why};
	enum undo_status status = UNDO_LEFT;

	why->message[0] = '\0';
	second_temporary(act->temporary, undo.second);
	if (place_open(act->path, NULL, &undo.place, why) != 0)
		return UNDO_LEFT;
	if (check_removal(&undo.place, NULL, why) == 0)
		status = judge(&undo);
	place_close(&undo.place);
	return status;
}

/*
 * Restores several names of one file as names of one file again.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "act/file/attributes.h"
#include "act/file/same_bytes.h"
#include "act/undo/undo_state.h"
#include "base/files/open_file.h"

/* The device and the inode of a file before the acts, as the key of a note. */
struct file_key {
	uint64_t device, inode;
};

static struct bytes key_of(const struct journal_act *act, struct file_key *key)
{
	*key = (struct file_key){act->copy.device, act->copy.inode};
	return (struct bytes){(const char *)key, sizeof *key};
}

int undo_note_name(struct undoer *undoer, const struct journal_act *act, struct simhash_error *why)
{
	struct file_key key;
	struct path_note *note;

	if (!loses_name(act))
		return 0;
	if (path_notes_add(&undoer->names, key_of(act, &key), &note, why) != 0)
		return -1;
	note->now = act->path; /* the last one, because it was made with the right content */
	return 0;
}

const char *undo_other_name(const struct undoer *undoer, const struct journal_act *act)
{
	struct file_key key;
	const struct path_note *note =
		loses_name(act) ? path_notes_find(&undoer->names, key_of(act, &key)) : NULL;

	if (note != NULL && strcmp(note->now, act->path) != 0)
		return note->now;
	return loses_name(act) ? undo_staying_name(undoer, act) : NULL;
}

/* The file may have changed since it was restored, so its content is read. */
static bool is_restored(const struct place *place, const struct journal_act *act,
			struct stat *status)
{
	uint8_t hash[KEEP_HASH_SIZE];
	int fd = open_file_at(place->directory_fd, place->name,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
	bool is_right = fd >= 0 && fd_status(fd, status) == 0 &&
			looks_restored(status, &act->copy) && has_owner(status, &act->copy) &&
			copy_bytes(fd, -1, hash) == 0 && memcmp(hash, act->hash, sizeof hash) == 0;

	if (fd >= 0)
		close_content(fd);
	return is_right;
}

bool undo_link_name(const struct undoer *undoer, const struct journal_act *act,
		    const struct place *place, const char *name)
{
	const char *path = undo_other_name(undoer, act);
	struct simhash_error why;
	struct stat other, made;
	struct place from;
	bool is_linked;

	if (path == NULL || place_open(path, NULL, &from, &why) != 0)
		return false;
	is_linked = is_restored(&from, act, &other) &&
		    (linkat(from.directory_fd, from.name, place->directory_fd, name, 0) == 0 ||
		     errno == EEXIST) &&
		    place_status(place, name, &made) == 0 && is_same_inode(&made, &other);
	place_close(&from);
	return is_linked;
}

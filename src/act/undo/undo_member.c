/*
 * Opens the content of a member of an archive, from which undo restores a file.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "act/file/kept_archive.h"
#include "act/undo/undo_state.h"
#include "base/basic/error.h"
#include "base/files/open_file.h"
#include "base/files/temporary.h"

static struct kept_archive *archive_of(struct undoer *undoer)
{
	if (undoer->archive == NULL && (undoer->archive = malloc(sizeof *undoer->archive)) != NULL)
		kept_archive_init(undoer->archive);
	return undoer->archive;
}

/* Read the member of an act, and the members of the acts that are undone next. */
static void read_members(const struct undoer *undoer, const struct journal_act *act)
{
	struct kept_archive *archive = undoer->archive;

	kept_archive_forget(archive);
	while (act->kept != NULL && kept_archive_add(archive, act->kept, act->copy.size_bytes) &&
	       undoer->first != NULL && act > undoer->first)
		act--;
	kept_archive_read(archive);
}

/* A file without a name that has these bytes; -1 with errno. */
static int write_temporary(const uint8_t *bytes, size_t size)
{
	FILE *file = temporary_file();
	int fd = -1;

	if (file == NULL)
		return -1;
	if (fwrite(bytes, 1, size, file) == size && fflush(file) == 0)
		fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
	fclose(file);
	return fd;
}

/* Fill in the status of the member, as far as it is known without reading it. */
static int look_at_archive(const struct kept_archive *archive, const struct journal_act *act,
			   struct stat *status)
{
	*status = archive->side.status;
	status->st_size = act->copy.size_bytes;
	status->st_blocks = (blkcnt_t)(act->copy.size_bytes / 512 + 1);
	return fcntl(archive->side.fd, F_DUPFD_CLOEXEC, 0);
}

int undo_open_member(struct undoer *undoer, const struct journal_act *act, bool does,
		     struct stat *status, struct simhash_error *why)
{
	const struct keep_file member = {.path = act->kept,
					 .size_bytes = act->copy.size_bytes,
					 .archive_bytes = KEEP_SIZE_UNKNOWN};
	struct kept_archive *archive = archive_of(undoer);
	struct simhash_error reason;
	const uint8_t *bytes;
	int fd;

	if (archive == NULL)
		return error_set_memory(why);
	if (!kept_archive_has_open(archive, &member) &&
	    kept_archive_open(archive, &member, &reason) != 0)
		return error_set(why, SIMHASH_E_RANGE, "the archive of %s: %s", act->kept,
				 reason.message);
	if (!does)
		return look_at_archive(archive, act, status);
	if (kept_archive_find(archive, act->kept, act->copy.size_bytes) == NULL)
		read_members(undoer, act);
	bytes = kept_archive_find(archive, act->kept, act->copy.size_bytes);
	if (bytes == NULL)
		return error_set(why, SIMHASH_E_RANGE,
				 "%s cannot be read, or has another content now", act->kept);
	fd = write_temporary(bytes, (size_t)act->copy.size_bytes);
	return fd >= 0 && fstat(fd, status) == 0
		       ? fd
		       : error_set_errno(why, "cannot write its content to a temporary file");
}

void undo_members_end(struct undoer *undoer)
{
	if (undoer->archive != NULL)
		kept_archive_release(undoer->archive);
	free(undoer->archive);
}

/*
 * Presents the messages and parts of mail as the members of an archive.
 * SPDX-License-Identifier: MIT
 */
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

#include "scan/archive/container_level.h"
#include "scan/file/container_kind.h"
#include "scan/mail/mail.h"

static ssize_t read_memory(struct container_level *level, void *buffer, size_t size)
{
	size_t rest = level->size - level->at;

	if (size > rest)
		size = rest;
	memcpy(buffer, level->memory + level->at, size);
	level->at += size;
	return (ssize_t)size;
}

static ssize_t read_mail(void *context, void *buffer, size_t size)
{
	struct container_level *level = context;
	struct container_file *file = level->file;
	ssize_t got;

	if (file == NULL)
		return read_memory(level, buffer, size);
	got = reading_at(&file->reading, file->offset, buffer, size);
	if (got < 0) {
		file->failed_errno = errno;
		return -1;
	}
	reading_is_done(&file->reading, file->offset);
	file->offset += got;
	return got;
}

/* libarchive has no such format; the archive only keeps the failure. */
static int fail(struct container_level *level)
{
	if (errno == ENOMEM || errno == ENOTSUP)
		archive_set_error(level->archive, errno, "cannot read mail");
	return ARCHIVE_FATAL;
}

int container_mail_open(struct container_level *level)
{
	level->entry = archive_entry_new();
	errno = ENOMEM;
	if (level->entry != NULL)
		level->mail = mail_new(level->kind == CONTAINER_MBOX, read_mail, level);
	return level->mail != NULL ? ARCHIVE_OK : fail(level);
}

int container_mail_next(struct container_level *level, struct archive_entry **entry)
{
	char text[CONTAINER_NAME_MAX + 1];
	struct bytes name;
	int status;

	errno = 0;
	status = mail_next(level->mail, &name);
	if (status <= 0)
		return status == 0 ? ARCHIVE_EOF : fail(level);
	if (name.size > CONTAINER_NAME_MAX)
		name.size = CONTAINER_NAME_MAX;
	memcpy(text, name.data, name.size);
	text[name.size] = '\0';
	archive_entry_clear(level->entry);
	archive_entry_copy_pathname(level->entry, text);
	archive_entry_set_filetype(level->entry, AE_IFREG);
	*entry = level->entry;
	return ARCHIVE_OK;
}

ssize_t container_mail_read(struct container_level *level, void *buffer, size_t size)
{
	ssize_t got;

	errno = 0;
	got = mail_read(level->mail, buffer, size);
	return got < 0 ? fail(level) : got;
}

unsigned container_level_inside(const struct container_level *level, const void *head, size_t size)
{
	return level->mail != NULL && mail_is_message(level->mail) && size > 0
		       ? CONTAINER_EML
		       : container_kind(head, size);
}

int container_level_lacks(struct container_level *level)
{
	return level->mail == NULL ? 0 : mail_failure(level->mail);
}

void container_mail_close(struct container_level *level)
{
	mail_free(level->mail);
	archive_entry_free(level->entry);
}

/*
 * Presents the files in the image of a disk as entries of libarchive, which names and limits all
 * members.
 * SPDX-License-Identifier: MIT
 */
#include "scan/archive/container_level.h"

#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scan/image/image.h"

/* An image stays at its place in memory, while its level may move. */
struct container_image {
	struct image *image;
	struct archive_entry *entry;
	struct container_file *file; /* NULL: the bytes are in memory */
	const uint8_t *memory;
	size_t size;
};

static ssize_t read_file(void *context, int64_t offset, void *buffer, size_t size)
{
	struct container_file *file = ((struct container_image *)context)->file;
	ssize_t got = reading_at(&file->reading, file->begin + offset, buffer, size);

	if (got < 0)
		file->failed_errno = errno;
	return got;
}

static ssize_t read_memory(void *context, int64_t offset, void *buffer, size_t size)
{
	const struct container_image *image = context;

	if (offset < 0 || (uint64_t)offset >= image->size)
		return 0;
	if (size > image->size - (size_t)offset)
		size = image->size - (size_t)offset;
	memcpy(buffer, image->memory + offset, size);
	return (ssize_t)size;
}

int container_image_open(struct container_level *level, int *why)
{
	struct container_image *image = calloc(1, sizeof *image);
	struct image_source source = {.context = image};

	level->image = image;
	*why = ENOMEM;
	if (image == NULL)
		return -1;
	image->file = level->file;
	image->memory = level->memory;
	image->size = level->size;
	source.read = image->file == NULL ? read_memory : read_file;
	source.size_bytes = image->file == NULL ? (int64_t)image->size
						: image->file->size_bytes - image->file->begin;
	image->entry = archive_entry_new();
	if (image->entry != NULL)
		image->image = image_open(&source, level->kind, why);
	if (image->image == NULL && image->file != NULL && image->file->failed_errno != 0)
		*why = image->file->failed_errno;
	return image->image == NULL ? -1 : 0;
}

int container_image_next(struct container_level *level, struct archive_entry **entry)
{
	struct container_image *image = level->image;
	struct image_file file;
	enum image_answer answer = image_next(image->image, &file);

	level->left_out = image_left_out(image->image);
	if (answer == IMAGE_END)
		return ARCHIVE_EOF;
	*entry = archive_entry_clear(image->entry);
	archive_entry_set_filetype(*entry, answer == IMAGE_FILE ? AE_IFREG : AE_IFDIR);
	if (answer == IMAGE_FILE) {
		archive_entry_set_pathname(*entry, file.name);
		archive_entry_set_size(*entry, file.size_bytes);
		archive_entry_set_is_data_encrypted(*entry, file.is_encrypted);
	}
	return ARCHIVE_OK;
}

la_ssize_t container_image_read(struct container_level *level, void *buffer, size_t size)
{
	ssize_t got = image_read(level->image->image, buffer, size);

	if (got >= 0)
		return got;
	archive_set_error(level->archive, errno, "cannot read the image");
	return ARCHIVE_WARN;
}

void container_image_close(struct container_level *level)
{
	if (level->image == NULL)
		return;
	image_close(level->image->image);
	archive_entry_free(level->image->entry);
	free(level->image);
}

/*
 * Replaces the other sources in a build without libtsk, which reads no images of disks.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>

#include "scan/image/image.h"

unsigned image_kinds(void)
{
	return 0;
}

const char *image_library(void)
{
	return NULL;
}

void image_prepare(unsigned kinds)
{
	(void)kinds;
}

struct image *image_open(const struct image_source *source, unsigned kind, int *why)
{
	(void)source;
	(void)kind;
	*why = ENOTSUP;
	return NULL;
}

void image_close(struct image *image)
{
	(void)image;
}

enum image_answer image_next(struct image *image, struct image_file *file)
{
	(void)image;
	(void)file;
	return IMAGE_END;
}

ssize_t image_read(struct image *image, void *buffer, size_t size)
{
	(void)image;
	(void)buffer;
	(void)size;
	errno = ENOTSUP;
	return -1;
}

int image_left_out(const struct image *image)
{
	(void)image;
	return 0;
}

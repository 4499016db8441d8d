/*
 * Reads the files in the image of a disk with libtsk, one after another: the file systems of all
 * partitions, or the only file system. The image is raw or, with libewf, in the format of EnCase
 * (E01).
 *
 *     image = image_open(&source, kind, &why);
 *     while ((answer = image_next(image, &file)) != IMAGE_END)
 *             if (answer == IMAGE_FILE)
 *                     while ((got = image_read(image, buffer, size)) > 0)
 *                             use(file.name, buffer, got);
 *     why = image_left_out(image);
 *     image_close(image);
 *
 * A file is named by its path: "p2/home/a.txt" in the second partition, "home/a.txt" if there is no
 * table of partitions. A deleted file is in the folder "(deleted)" of its file system, if its
 * clusters are not in use again. Files with several names are read once. Internal files of a file
 * system, such as $MFT, and further streams of a file are omitted.
 *
 * The libraries are loaded by image_prepare, or by the first image_open.
 *
 * Anybody may have made the image, so every loop has a limit. Only the functions of `source` read
 * it, and nothing else is opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_IMAGE_H
#define SIMHASH_SCAN_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "scan/image/image_source.h"

struct image_file {
	const char *name; /* lives until the next call */
	int64_t size_bytes;
	bool is_encrypted;
};

struct image;

/*
 * The kinds of containers that can be read: CONTAINER_DISK, CONTAINER_EWF, or none. They need
 * libraries that the build has found, and that are installed.
 */
unsigned image_kinds(void);
/* Return the versions of the libraries, or NULL without them. */
const char *image_library(void);

/* Load the libraries for these kinds, before the process restricts itself. */
void image_prepare(unsigned kinds);

/*
 * Open an image of kind CONTAINER_DISK or CONTAINER_EWF. The source is copied, its context is
 * borrowed. Returns NULL with an errno or an enum container_failure; ENOTSUP without the library.
 */
struct image *image_open(const struct image_source *source, unsigned kind, int *why);
void image_close(struct image *image);

/* IMAGE_NAME: a name without its own content, such as a folder. */
enum image_answer { IMAGE_END, IMAGE_NAME, IMAGE_FILE };

enum image_answer image_next(struct image *image, struct image_file *file);

/* Read the next bytes of the file, 0 at its end. -1 with an errno or an enum container_failure. */
ssize_t image_read(struct image *image, void *buffer, size_t size);

/* After the end: why a part of the image was not read; or 0. */
int image_left_out(const struct image *image);

#endif

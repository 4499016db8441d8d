/*
 * Finds archives in files that begin with something else: zip files after any bytes, and 7z and rar
 * files after a program, as in self-extracting archives.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_CONTAINER_BEHIND_H
#define SIMHASH_SCAN_CONTAINER_BEHIND_H

#include <stddef.h>
#include <stdint.h>

/* The minimum size of the buffer. */
#define CONTAINER_BEHIND_ROOM ((size_t)128 * 1024)

/*
 * Find an archive of one of `kinds` after other bytes. *kind becomes its kind, or 0. Unless `begin`
 * is NULL, *begin becomes its place; 0 for a zip file, which is found from its end. -1 with errno
 * if the file could not be read.
 */
int container_behind(int fd, unsigned kinds, void *buffer, size_t room, unsigned *kind,
		     int64_t *begin);

/*
 * Is a file with an archive of this kind at `begin` one of several volumes? -1 with errno if the
 * file could not be read.
 */
int container_file_is_volume(int fd, unsigned kind, int64_t begin, int64_t file_size);

#endif

/*
 * Finds archives in files that begin with something else: zip files behind any bytes, and 7z and
 * rar files behind a program, as in archives that unpack themselves.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_CONTAINER_BEHIND_H
#define SIMHASH_SCAN_CONTAINER_BEHIND_H

#include <stddef.h>
#include <stdint.h>

/* The buffer has at least this many bytes. */
#define CONTAINER_BEHIND_ROOM ((size_t)128 * 1024)

/*
 * Which of `kinds` the file has behind other bytes, or 0; and, unless that is NULL, where it begins:
 * 0 for a zip file, which is found from its end. -1 with errno where the file could not be read.
 */
int container_behind(int fd, unsigned kinds, void *buffer, size_t room, unsigned *kind,
		     int64_t *begin);

/*
 * Is a file that has an archive of this kind from `begin` one of several volumes? -1 with errno where
 * the file could not be read.
 */
int container_file_is_volume(int fd, unsigned kind, int64_t begin, int64_t file_size);

#endif

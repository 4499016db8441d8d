/*
 * Finds the disk of a file, whether this disk rotates, and the place of the file on it. On a
 * rotating disk a seek takes as long as reading a megabyte, so files are best read in their order on
 * the disk.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_BASE_DISK_H
#define SIMHASH_BASE_DISK_H

#include <stdbool.h>
#include <stdint.h>

struct disk {
	uint64_t number;  /* of the whole disk; its partitions share it */
	bool is_rotating; /* false if the system does not know it */
	bool is_local;	  /* the file system is on a disk of this machine */
};

/*
 * Find the disk of an open file or directory, on whose file system files have this st_dev. A
 * network file system has no disk: its number is `device`. Virtual disks do not rotate, because the
 * system knows nothing about the disk behind them. Reads files in /sys and /proc, on Linux only.
 */
void disk_find(int fd, uint64_t device, struct disk *disk);

/*
 * Return the offset of a file's first byte in its file system, or 0 if it is unknown. `name` is
 * opened in a directory, without following a link unless `follow`.
 */
uint64_t disk_offset(int directory_fd, const char *name, bool follow);

/* Is the first byte of such a file in the page cache? If this is unknown, yes. */
bool disk_has_cached(int directory_fd, const char *name, bool follow);

#endif

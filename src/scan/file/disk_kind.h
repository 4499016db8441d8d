/*
 * Recognizes the image of a disk or of one file system by its first bytes.
 *
 * Every check reads several fields, because the last two bytes of a boot sector, 55 AA, or the two
 * bytes that mark an ext file system also occur in other files. A file with a boot sector alone is
 * not an image.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_DISK_KIND_H
#define SIMHASH_SCAN_DISK_KIND_H

#include <stdbool.h>
#include <stddef.h>

enum disk_kind {
	DISK_UNKNOWN,
	DISK_MBR, /* a table of partitions */
	DISK_GPT, /* the same, in the newer format */
	DISK_FAT, /* this and all later kinds: one volume */
	DISK_EXFAT,
	DISK_NTFS,
	DISK_EXT,      /* ext2, ext3 and ext4 */
	DISK_HFS,      /* HFS+ and HFSX */
	DISK_ISO,      /* the file system of CDs; container_kind says CONTAINER_ISO for it */
	DISK_ENCRYPTED /* a volume of LUKS or BitLocker */
};

/* The bytes at the beginning that identify all kinds. */
#define DISK_HEAD_SIZE 32774

/* `size` is at least DISK_HEAD_SIZE, unless the file or the volume has no more bytes. */
enum disk_kind disk_kind(const void *head, size_t size);

#endif

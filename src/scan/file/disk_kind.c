/*
 * Recognizes partition tables and file systems by the fields of their first blocks.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/disk_kind.h"

#include <stdint.h>
#include <string.h>

#include "base/basic/byte_order.h"

#define SECTOR 512
#define PARTITIONS_AT 446
#define PARTITION_SIZE 16
#define SUPERBLOCK_AT 1024
#define ISO_MAGIC_AT 32769

static unsigned le(const uint8_t *bytes, unsigned size)
{
	return (unsigned)read_little_endian(bytes, size);
}

static bool is_power_of_2(unsigned number, unsigned least, unsigned most)
{
	return number >= least && number <= most && (number & (number - 1)) == 0;
}

static bool is_boot_sector(const uint8_t *head)
{
	return head[510] == 0x55 && head[511] == 0xaa;
}

/* ---- Partition tables ---- */

/* Is it an unused entry, or a partition with a possible place? */
static bool is_partition(const uint8_t *entry)
{
	static const uint8_t unused[PARTITION_SIZE];

	if (entry[4] == 0)
		return memcmp(entry, unused, PARTITION_SIZE) == 0;
	return (entry[0] & 0x7f) == 0 && le(entry + 8, 4) > 0 && le(entry + 12, 4) > 0;
}

static bool overlap(const uint8_t *one, const uint8_t *other)
{
	uint64_t first = le(one + 8, 4), second = le(other + 8, 4);

	return one[4] != 0 && other[4] != 0 && first < second + le(other + 12, 4) &&
	       second < first + le(one + 12, 4);
}

static bool has_partitions(const uint8_t *head)
{
	const uint8_t *table = head + PARTITIONS_AT;
	unsigned used = 0, active = 0;

	for (unsigned i = 0; i < 4; i++) {
		const uint8_t *entry = table + (size_t)i * PARTITION_SIZE;
		if (!is_partition(entry))
			return false;
		used += entry[4] != 0;
		active += entry[0] != 0;
		for (unsigned j = 0; j < i; j++)
			if (overlap(entry, table + (size_t)j * PARTITION_SIZE))
				return false;
	}
	return used > 0 && active <= 1;
}

/* The header is in the second sector, whose size is 512 or 4096 bytes. */
static bool has_gpt(const uint8_t *head, size_t size)
{
	static const char magic[] = "EFI PART\0\0\1";

	return memcmp(head + SECTOR, magic, sizeof magic) == 0 ||
	       (size >= 4096 + sizeof magic && memcmp(head + 4096, magic, sizeof magic) == 0);
}

/* ---- File systems ---- */

/*
 * The fields about the disk must be possible, and the table of clusters must begin with the same
 * byte that describes the medium.
 */
static bool is_fat(const uint8_t *head, size_t size)
{
	unsigned sector = le(head + 11, 2), reserved = le(head + 14, 2), copies = head[16];
	unsigned medium = head[21];
	size_t table = (size_t)sector * reserved;

	if ((head[0] != 0xeb && head[0] != 0xe9) || !is_power_of_2(sector, 512, 4096) ||
	    !is_power_of_2(head[13], 1, 128) || reserved == 0 || copies < 1 || copies > 2 ||
	    (medium != 0xf0 && medium < 0xf8) || (le(head + 19, 2) == 0 && le(head + 32, 4) == 0) ||
	    (le(head + 22, 2) == 0 && le(head + 36, 4) == 0))
		return false;
	if (table + 2 > size)
		return size == DISK_HEAD_SIZE;
	return head[table] == medium && head[table + 1] == 0xff;
}

static bool is_exfat(const uint8_t *head)
{
	static const uint8_t zeros[53];

	return memcmp(head + 3, "EXFAT   ", 8) == 0 &&
	       memcmp(head + 11, zeros, sizeof zeros) == 0 && head[108] >= 9 && head[108] <= 12;
}

static bool is_ntfs(const uint8_t *head)
{
	return memcmp(head + 3, "NTFS    ", 8) == 0 && is_power_of_2(le(head + 11, 2), 256, 4096) &&
	       head[13] != 0 && read_little_endian(head + 40, 8) != 0;
}

static bool is_ext(const uint8_t *block)
{
	unsigned block_bits = le(block + 24, 4), inodes = le(block, 4),
		 in_group = le(block + 40, 4);

	return block[56] == 0x53 && block[57] == 0xef && block_bits <= 6 && inodes > 0 &&
	       le(block + 4, 4) > 0 && le(block + 20, 4) <= 1 && le(block + 32, 4) > 0 &&
	       le(block + 32, 4) <= 8u << (10 + block_bits) && in_group > 0 && in_group <= inodes &&
	       le(block + 58, 2) <= 7 && le(block + 76, 4) <= 1;
}

static bool is_hfs(const uint8_t *block)
{
	unsigned version = (unsigned)read_big_endian(block + 2, 2);
	unsigned size = (unsigned)read_big_endian(block + 40, 4);

	return block[0] == 'H' &&
	       ((block[1] == '+' && version == 4) || (block[1] == 'X' && version == 5)) &&
	       is_power_of_2(size, 512, 1u << 30) && read_big_endian(block + 44, 4) > 0;
}

enum disk_kind disk_kind(const void *head, size_t size)
{
	const uint8_t *bytes = head;

	/* The answer does not depend on how many bytes the caller has read. */
	if (size > DISK_HEAD_SIZE)
		size = DISK_HEAD_SIZE;
	if (size < SUPERBLOCK_AT)
		return DISK_UNKNOWN;
	if (size >= ISO_MAGIC_AT + 5 && memcmp(bytes + ISO_MAGIC_AT, "CD001", 5) == 0)
		return DISK_ISO;
	if (memcmp(bytes, "LUKS\xba\xbe", 6) == 0 || memcmp(bytes + 3, "-FVE-FS-", 8) == 0)
		return DISK_ENCRYPTED;
	if (is_boot_sector(bytes)) {
		if (has_gpt(bytes, size))
			return DISK_GPT;
		if (is_ntfs(bytes))
			return DISK_NTFS;
		if (is_exfat(bytes))
			return DISK_EXFAT;
		if (is_fat(bytes, size))
			return DISK_FAT;
	}
	/* A boot loader may be before the file system, and its sector looks like a table. */
	if (size >= SUPERBLOCK_AT + SECTOR && is_ext(bytes + SUPERBLOCK_AT))
		return DISK_EXT;
	if (size >= SUPERBLOCK_AT + SECTOR && is_hfs(bytes + SUPERBLOCK_AT))
		return DISK_HFS;
	return is_boot_sector(bytes) && has_partitions(bytes) ? DISK_MBR : DISK_UNKNOWN;
}

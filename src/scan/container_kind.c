/*
 * Telling containers by their first bytes, as their formats define them.
 * SPDX-License-Identifier: MIT
 */
#include "scan/container_kind.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#define ISO_MAGIC_AT 32769
#define TAR_BLOCK 512
#define TAR_SUM_AT 148
#define TAR_SUM_SIZE 8

const char *const container_names[] = {"zip", "tar",	  "7z",	   "iso", "cpio", "ar",
				       "rar", "gzip",	  "bzip2", "xz",  "zstd", "lzip",
				       "lz4", "compress", "text",  NULL};

static const struct {
	unsigned kind;
	size_t size;
	const char *magic;
} magics[] = {
	{CONTAINER_ZIP, 4, "PK\3\4"},
	{CONTAINER_ZIP, 4, "PK\5\6"}, /* without members */
	{CONTAINER_7Z, 6, "7z\xbc\xaf\x27\x1c"},
	{CONTAINER_CPIO, 6, "070701"},
	{CONTAINER_CPIO, 6, "070702"},
	{CONTAINER_CPIO, 6, "070707"},
	{CONTAINER_AR, 8, "!<arch>\n"},
	{CONTAINER_RAR, 6, "Rar!\x1a\x07"},
	{CONTAINER_GZIP, 3, "\x1f\x8b\x08"},
	{CONTAINER_XZ, 6,
	 "\xfd"
	 "7zXZ\0"},
	{CONTAINER_ZSTD, 4, "\x28\xb5\x2f\xfd"},
	{CONTAINER_LZIP, 5, "LZIP\1"},
	{CONTAINER_LZ4, 4, "\x04\x22\x4d\x18"},
};

/* A tar header has no magic in its oldest form, but the sum of its bytes. */
static bool is_tar(const uint8_t *head, size_t size)
{
	unsigned stated = 0, sum = TAR_SUM_SIZE * ' ', i = TAR_SUM_AT;

	if (size < TAR_BLOCK || head[0] == 0)
		return false;
	while (i < TAR_SUM_AT + TAR_SUM_SIZE && head[i] == ' ')
		i++;
	for (; i < TAR_SUM_AT + TAR_SUM_SIZE && head[i] >= '0' && head[i] <= '7'; i++)
		stated = stated * 8 + (unsigned)(head[i] - '0');
	if (stated == 0)
		return false;
	for (i = 0; i < TAR_BLOCK; i++)
		if (i < TAR_SUM_AT || i >= TAR_SUM_AT + TAR_SUM_SIZE)
			sum += head[i];
	return sum == stated;
}

static bool is_bzip2(const uint8_t *head, size_t size)
{
	return size >= 10 && memcmp(head, "BZh", 3) == 0 && head[3] >= '1' && head[3] <= '9' &&
	       (memcmp(head + 4, "1AY&SY", 6) == 0 || memcmp(head + 4, "\x17rE8P\x90", 6) == 0);
}

/* The magic has two bytes; the third tells the size of the codes. */
static bool is_compress(const uint8_t *head, size_t size)
{
	return size >= 4 && head[0] == 0x1f && head[1] == 0x9d && (head[2] & 0x60) == 0 &&
	       (head[2] & 0x1f) >= 9 && (head[2] & 0x1f) <= 16;
}

unsigned container_kind(const void *head, size_t size)
{
	const uint8_t *bytes = head;

	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (size >= magics[i].size && memcmp(bytes, magics[i].magic, magics[i].size) == 0)
			return magics[i].kind;
	if (is_bzip2(bytes, size))
		return CONTAINER_BZIP2;
	if (is_compress(bytes, size))
		return CONTAINER_COMPRESS;
	if (is_tar(bytes, size))
		return CONTAINER_TAR;
	if (size >= ISO_MAGIC_AT + 5 && memcmp(bytes + ISO_MAGIC_AT, "CD001", 5) == 0)
		return CONTAINER_ISO;
	return 0;
}

size_t container_plain_name(const char *name, size_t size, char *plain)
{
	static const struct {
		const char *packed, *plain;
	} ends[] = {{".gz", ""},      {".bz2", ""},	{".xz", ""},	   {".zst", ""},
		    {".lz", ""},      {".lz4", ""},	{".Z", ""},	   {".tgz", ".tar"},
		    {".taz", ".tar"}, {".tbz", ".tar"}, {".tbz2", ".tar"}, {".txz", ".tar"},
		    {".tlz", ".tar"}, {".tzst", ".tar"}};

	memcpy(plain, name, size);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t end = strlen(ends[i].packed), added = strlen(ends[i].plain);
		if (size <= end || strncasecmp(name + size - end, ends[i].packed, end) != 0)
			continue;
		memcpy(plain + size - end, ends[i].plain, added);
		return size - end + added;
	}
	return size;
}

const char *container_explain(int failure)
{
	switch (failure) {
	case CONTAINER_IS_DAMAGED:
		return "Damaged archive, or one of an unknown kind: what was read before is "
		       "indexed";
	case CONTAINER_IS_ENCRYPTED:
		return "Encrypted, so its content is not indexed";
	case CONTAINER_INFLATES_TOO_FAR:
		return "Inflates to more than 200 times its size: what was read before is indexed";
	case CONTAINER_HAS_TOO_MANY:
		return "Has more than a million members: those before are indexed";
	case CONTAINER_IS_TOO_DEEP:
		return "An archive in more archives than --max-depth allows";
	case CONTAINER_IS_TOO_LARGE_INSIDE:
		return "Too large to look into inside of an archive";
	case CONTAINER_HAS_LONG_NAME:
		return "Has members with names that are too long, which are not indexed";
	case CONTAINER_IS_NOT_READ:
		return "Has changed, and its members are removed from the index: this simhash is "
		       "built without libarchive";
	case CONTAINER_HAS_DAMAGED_TEXT:
		return "No well-formed XML: the text of its document is indexed without the rest";
	case CONTAINER_DECLARES_ENTITIES:
		return "Declares entities, as no document needs: its text is not indexed";
	case CONTAINER_HAS_LONG_TEXT:
		return "Has more text, or longer or deeper markup, than is read: what was read "
		       "before is indexed";
	case CONTAINER_IS_FILTERED:
		return "Was printed by a filter, which is not run again to read it";
	case CONTAINER_IS_FATAL:
		return "Damaged archive, with which the process that reads it has crashed: what "
		       "was "
		       "read before is indexed";
	case CONTAINER_IS_ENDLESS:
		return "Damaged archive, of which nothing more comes within a minute of processor "
		       "time: what was read before is indexed";
	case CONTAINER_ENDS_THE_RUN:
		return "Not inflated to its end, since the run has inflated what "
		       "--max-inflated-total allows";
	default:
		return NULL;
	}
}

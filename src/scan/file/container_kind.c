/*
 * Recognizes containers by their first bytes, as their formats define them, and explains the
 * failures of reading them.
 * SPDX-License-Identifier: MIT
 */
#include "scan/file/container_kind.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/basic/byte_order.h"
#include "scan/file/disk_kind.h"
#include "scan/file/mail_kind.h"

_Static_assert(CONTAINER_HEAD_SIZE >= DISK_HEAD_SIZE, "the head identifies images");

#define TAR_BLOCK 512
#define TAR_SUM_AT 148
#define TAR_SUM_SIZE 8

const char *const container_names[] = {"zip",  "tar",	"7z",	"iso",	"cpio", "ar",  "rar",
				       "gzip", "bzip2", "xz",	"zstd", "lzip", "lz4", "compress",
				       "mbox", "eml",	"disk", "ewf",	NULL};

static const struct {
	unsigned kind;
	size_t size;
	const char *magic;
} magics[] = {
	{CONTAINER_ZIP, 4, "PK\3\4"},
	{CONTAINER_ZIP, 4, "PK\5\6"},  /* an archive without members */
	{CONTAINER_ZIP, 4, "PK\7\10"}, /* the first of several volumes */
	/* An archive that was written as several volumes but has only one. */
	{CONTAINER_ZIP, 8, "PK00PK\3\4"},
	{CONTAINER_7Z, 6, "7z\xbc\xaf\x27\x1c"},
	{CONTAINER_CPIO, 6, "070701"},
	{CONTAINER_CPIO, 6, "070702"},
	{CONTAINER_CPIO, 6, "070707"},
	{CONTAINER_CPIO, 6, "070727"}, /* made by afio for large members */
	{CONTAINER_AR, 8, "!<arch>\n"},
	{CONTAINER_RAR, 6, "Rar!\x1a\x07"},
	{CONTAINER_GZIP, 3, "\x1f\x8b\x08"},
	{CONTAINER_XZ, 6,
	 "\xfd"
	 "7zXZ\0"},
	{CONTAINER_ZSTD, 4, "\x28\xb5\x2f\xfd"},
	{CONTAINER_LZIP, 5, "LZIP\1"},
	{CONTAINER_LZ4, 4, "\x04\x22\x4d\x18"},
	{CONTAINER_LZ4, 4, "\x02\x21\x4c\x18"}, /* the format of its first versions */
	{CONTAINER_EWF, 8, "EVF\x09\x0d\x0a\xff\0"},
};

/* The oldest tar headers have no magic, but a checksum of their bytes. */
static bool is_tar(const uint8_t *head, size_t size)
{
	unsigned stated = 0, sum = TAR_SUM_SIZE * ' ', i = TAR_SUM_AT;

	/* Reject a member without a name, and zeros, with which many files begin. */
	if (size < TAR_BLOCK || (head[0] == 0 && memcmp(head + 257, "ustar", 5) != 0))
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

/* The magic has two bytes; the third has the size of the codes. */
static bool is_compress(const uint8_t *head, size_t size)
{
	return size >= 4 && head[0] == 0x1f && head[1] == 0x9d && (head[2] & 0x60) == 0 &&
	       (head[2] & 0x1f) >= 9 && (head[2] & 0x1f) <= 16;
}

/* The first cpio format had 16-bit numbers in the byte order of the machine. */
static bool is_binary_cpio(const uint8_t *head, size_t size)
{
	bool is_little = size >= 26 && head[0] == 0xc7 && head[1] == 0x71;
	bool is_big = size >= 26 && head[0] == 0x71 && head[1] == 0xc7;
	unsigned low = is_little ? 0 : 1, high = 1 - low, type, name_size;

	if (!is_little && !is_big)
		return false;
	type = head[6 + high] >> 4;
	name_size = (unsigned)(head[20 + high] << 8 | head[20 + low]);
	return strchr("\1\2\4\6\10\12\14", (int)type) != NULL && type != 0 && name_size >= 2 &&
	       26 + name_size <= size && head[26 + name_size - 1] == '\0' &&
	       memchr(head + 26, '\0', name_size - 1) == NULL;
}

int64_t container_skipped_frame(const void *head, size_t size)
{
	const uint8_t *bytes = head;

	return size >= 8 && (bytes[0] & 0xf0) == 0x50 && memcmp(bytes + 1, "\x2a\x4d\x18", 3) == 0
		       ? 8 + (int64_t)read_little_endian(bytes + 4, 4)
		       : 0;
}

/* Return the kind of the data after skippable frames. */
static unsigned kind_behind_frames(const uint8_t *bytes, size_t size)
{
	const unsigned both = CONTAINER_ZSTD | CONTAINER_LZ4;
	size_t at = 0;
	int64_t frame;

	while ((frame = container_skipped_frame(bytes + at, size - at)) > 0) {
		if (frame > (int64_t)(size - at) - 8)
			return both;
		at += (size_t)frame;
	}
	return at == 0 ? 0 : container_kind(bytes + at, size - at) & both;
}

/* An encrypted volume is an image only as a part of a disk. */
static unsigned kind_of_image(const uint8_t *bytes, size_t size)
{
	enum disk_kind kind = disk_kind(bytes, size);

	if (kind == DISK_UNKNOWN || kind == DISK_ENCRYPTED)
		return 0;
	return kind == DISK_ISO ? CONTAINER_ISO : CONTAINER_DISK;
}

/* The answer does not depend on how many bytes the caller has read. */
static unsigned kind_of_mail(const void *head, size_t size)
{
	enum mail_kind kind = mail_kind(
		(struct bytes){head, size < CONTAINER_HEAD_SIZE ? size : CONTAINER_HEAD_SIZE});

	return kind == MAIL_BOX ? CONTAINER_MBOX : kind == MAIL_MESSAGE ? CONTAINER_EML : 0;
}

unsigned container_kind(const void *head, size_t size)
{
	const uint8_t *bytes = head;
	unsigned kind;

	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
		if (size >= magics[i].size && memcmp(bytes, magics[i].magic, magics[i].size) == 0)
			return magics[i].kind;
	if (is_bzip2(bytes, size))
		return CONTAINER_BZIP2;
	if (is_compress(bytes, size))
		return CONTAINER_COMPRESS;
	if (is_binary_cpio(bytes, size))
		return CONTAINER_CPIO;
	if (is_tar(bytes, size))
		return CONTAINER_TAR;
	kind = kind_of_image(bytes, size);
	return kind != 0 ? kind : kind_behind_frames(bytes, size) | kind_of_mail(bytes, size);
}

/* Read a rar 5 number at *at: 7 bits in each byte, the lowest first. */
static unsigned rar_number(const uint8_t *head, size_t size, size_t *at)
{
	unsigned number = 0;

	for (unsigned shift = 0; *at < size && shift < 28; shift += 7) {
		uint8_t byte = head[(*at)++];
		number |= (unsigned)(byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	return number;
}

static bool is_rar_volume(const uint8_t *head, size_t size)
{
	size_t at = 12;

	if (size < 24)
		return false;
	if (head[6] == 0)
		return head[9] == 0x73 && (head[10] & 1) != 0;
	rar_number(head, size, &at); /* the size of the header */
	if (rar_number(head, size, &at) != 1)
		return false;
	if ((rar_number(head, size, &at) & 1) != 0)
		rar_number(head, size, &at); /* the size of extra data */
	return (rar_number(head, size, &at) & 1) != 0;
}

/* After the magic and a 1 comes the number of the file. */
static bool is_ewf_volume(const uint8_t *head, size_t size)
{
	return size >= 11 && read_little_endian(head + 9, 2) != 1;
}

bool container_is_volume(unsigned kind, const void *head, size_t size)
{
	return (kind == CONTAINER_RAR && is_rar_volume(head, size)) ||
	       (kind == CONTAINER_EWF && is_ewf_volume(head, size)) ||
	       (kind == CONTAINER_ZIP && size >= 4 && memcmp(head, "PK\7\10", 4) == 0);
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
		return "Damaged archive, or unknown kind of archive: the part read before is "
		       "indexed";
	case CONTAINER_IS_ENCRYPTED:
		return "Encrypted, so its content is not indexed";
	case CONTAINER_INFLATES_TOO_FAR:
		return "Inflates to more than 200 times its size: the part read before is indexed";
	case CONTAINER_HAS_TOO_MANY:
		return "Has more than a million members: the members read before are indexed";
	case CONTAINER_IS_TOO_DEEP:
		return "Is inside more archives than --limits=depth=N allows";
	case CONTAINER_IS_TOO_LARGE_INSIDE:
		return "Too large to be unpacked inside another archive";
	case CONTAINER_HAS_LONG_NAME:
		return "Has members whose names are too long; these are not indexed";
	case CONTAINER_IS_NOT_READ:
		return "Has changed, and its members are removed from the index: this simhash is "
		       "built without libarchive";
	case CONTAINER_HAS_DAMAGED_TEXT:
		return "Not well-formed XML: the text of its document is indexed without the rest "
		       "of this part";
	case CONTAINER_DECLARES_ENTITIES:
		return "Declares entities, which no document needs: its text is not indexed";
	case CONTAINER_HAS_LONG_TEXT:
		return "Has too much text, or too long or deep markup: the part read before is "
		       "indexed";
	case CONTAINER_IS_FILTERED:
		return "Is the output of a filter, which is not run again to read it";
	case CONTAINER_IS_FATAL:
		return "Damaged archive: the process that read it crashed; the part read before "
		       "is indexed";
	case CONTAINER_IS_ENDLESS:
		return "Damaged archive: reading it made no progress within a minute of processor "
		       "time; the part read before is indexed";
	case CONTAINER_ENDS_THE_RUN:
		return "Not inflated to its end, because the run has reached "
		       "--limits=total=SIZE";
	case CONTAINER_IS_VOLUME:
		return "One of several volumes of an archive: its complete members are indexed, "
		       "as far as they can be read";
	case CONTAINER_HAS_SAME_NAMES:
		return "Has several members with the same name: only the last of them is indexed";
	case CONTAINER_HAS_REST:
		return "Has other bytes after its end, which are not searched for members";
	case CONTAINER_NEEDS_MEMORY:
		return "Needs more memory than simhash --limits=memory=SIZE allows for an "
		       "archive: the part read before is indexed";
	case CONTAINER_IS_OVER_LIMIT:
		return "Inflates to more than --limits=inflated=SIZE allows";
	case CONTAINER_IS_NOT_GZIP:
		return "Not in gzip format";
	case CONTAINER_HAS_NO_TEXT:
		return "Damaged or encrypted document: it is compared as a file, without its text";
	case CONTAINER_HAS_UNKNOWN_VOLUMES:
		return "Has volumes without a known file system, whose files are not indexed";
	case CONTAINER_HAS_NO_END:
		return "Has no zeros at its end, as tar files should: later members may be missing";
	case CONTAINER_IS_CUT_MAIL:
		return "Mail without an end, as mail with several parts should have: later parts, "
		       "or the end of this one, may be missing";
	case CONTAINER_IS_LARGE_MAIL:
		return "Mail with more than 20,000 parts, parts at more than 100 levels, or more "
		       "than 64 KiB of headers about a part: the rest is not decoded";
	default:
		return NULL;
	}
}

int container_failure_of(int inflating_errno)
{
	switch (inflating_errno) {
	case EOVERFLOW:
		return CONTAINER_IS_OVER_LIMIT;
	case EILSEQ:
		return CONTAINER_IS_NOT_GZIP;
	default:
		return inflating_errno;
	}
}

bool container_may_be_read_later(int failure)
{
	switch (failure) {
	case CONTAINER_IS_OVER_LIMIT:
	case CONTAINER_IS_TOO_DEEP:
	case CONTAINER_NEEDS_MEMORY:
	case CONTAINER_INFLATES_TOO_FAR:
	case CONTAINER_HAS_TOO_MANY:
	case CONTAINER_HAS_LONG_TEXT:
	case CONTAINER_ENDS_THE_RUN:
		return true;
	default:
		return false;
	}
}

int container_text_failure(int failure, bool is_document)
{
	switch (failure) {
	case CONTAINER_IS_DAMAGED:
	case CONTAINER_IS_ENCRYPTED:
	case CONTAINER_IS_FATAL:
	case CONTAINER_IS_ENDLESS:
	case CONTAINER_IS_VOLUME:
		return is_document ? CONTAINER_HAS_NO_TEXT : 0;
	case CONTAINER_HAS_REST:
	case CONTAINER_HAS_LONG_NAME:
	case CONTAINER_HAS_SAME_NAMES:
	case CONTAINER_HAS_UNKNOWN_VOLUMES:
		return 0;
	default:
		return failure;
	}
}

bool container_lacks_text(int failure)
{
	return failure == CONTAINER_HAS_DAMAGED_TEXT || failure == CONTAINER_DECLARES_ENTITIES ||
	       failure == CONTAINER_HAS_LONG_TEXT || failure == CONTAINER_HAS_NO_TEXT;
}

bool container_is_left_out(int failure)
{
	switch (failure) {
	case CONTAINER_IS_NOT_GZIP:
	case CONTAINER_IS_ENCRYPTED:
	case CONTAINER_IS_TOO_LARGE_INSIDE:
	case CONTAINER_HAS_LONG_NAME:
	case CONTAINER_IS_VOLUME:
	case CONTAINER_HAS_SAME_NAMES:
	case CONTAINER_HAS_REST:
	case CONTAINER_HAS_NO_END:
	case CONTAINER_HAS_DAMAGED_TEXT:
	case CONTAINER_DECLARES_ENTITIES:
	case CONTAINER_HAS_NO_TEXT:
	case CONTAINER_HAS_UNKNOWN_VOLUMES:
	case CONTAINER_IS_CUT_MAIL:
	case CONTAINER_IS_LARGE_MAIL:
		return true;
	default:
		return container_may_be_read_later(failure);
	}
}

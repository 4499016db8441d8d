/*
 * Defines the kinds of containers (archives and compressed files) as bits, and recognizes them by
 * their first bytes.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_CONTAINER_KIND_H
#define SIMHASH_SCAN_CONTAINER_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	CONTAINER_ZIP = 1 << 0,
	CONTAINER_TAR = 1 << 1,
	CONTAINER_7Z = 1 << 2,
	CONTAINER_ISO = 1 << 3,
	CONTAINER_CPIO = 1 << 4,
	CONTAINER_AR = 1 << 5,
	CONTAINER_RAR = 1 << 6,
	CONTAINER_GZIP = 1 << 7,
	CONTAINER_BZIP2 = 1 << 8,
	CONTAINER_XZ = 1 << 9,
	CONTAINER_ZSTD = 1 << 10,
	CONTAINER_LZIP = 1 << 11,
	CONTAINER_LZ4 = 1 << 12,
	CONTAINER_COMPRESS = 1 << 13,
	CONTAINER_TEXT = 1 << 14, /* the text of documents, which are zip files */
	CONTAINER_MBOX = 1 << 15,
	CONTAINER_EML = 1 << 16,
	CONTAINER_DISK = 1 << 17, /* the raw image of a disk or of one file system */
	CONTAINER_EWF = 1 << 18	  /* the image of a disk in the format of EnCase (E01) */
};
#define CONTAINER_KINDS 19
#define CONTAINER_ALL ((1u << CONTAINER_KINDS) - 1)
/* The kinds that compress a single stream of bytes. This stream can itself be an archive. */
#define CONTAINER_COMPRESSED ((CONTAINER_TEXT - 1u) & ~(CONTAINER_GZIP - 1u))

/* The maximum size of a member's name, which is the maximum in MySQL. */
#define CONTAINER_NAME_MAX 1020
#define CONTAINER_DEPTH_MAX 16
#define CONTAINER_DEPTH 3 /* the default */

/*
 * Return the kinds that must be read for the requested kinds: the text of documents also requires
 * zip files.
 */
static inline unsigned container_read_for(unsigned kinds)
{
	return (kinds & CONTAINER_TEXT) != 0 ? kinds | CONTAINER_ZIP : kinds;
}

/* The bytes at the beginning of a file that identify all kinds. */
#define CONTAINER_HEAD_SIZE 32774

/*
 * Return the kind of a file that begins with these bytes, or 0. Returns both ZSTD and LZ4 for a
 * skippable frame that is longer than these bytes.
 */
unsigned container_kind(const void *head, size_t size);

/* Return the size of the skippable frame of zstd and lz4 that begins here, or 0. Reads 8 bytes. */
int64_t container_skipped_frame(const void *head, size_t size);

/* Do the first bytes show one of several volumes of an archive of this kind? */
bool container_is_volume(unsigned kind, const void *head, size_t size);

#define CONTAINER_MAIL (CONTAINER_MBOX | CONTAINER_EML)
#define CONTAINER_IMAGES (CONTAINER_DISK | CONTAINER_EWF)

/* The names of all kinds except the text, in the order of their bits; NULL ends the list. */
extern const char *const container_names[];
/* Return the kind whose name has this number in the list. */
static inline unsigned container_numbered(unsigned number)
{
	return number < 14 ? 1u << number : 2u << number; /* the bit of the text is left out */
}

/*
 * Write the name of the content of a compressed file: "a.txt" for "a.txt.xz", "a.tar" for "a.txz",
 * and otherwise the name of the file. It has at most size + 4 bytes. Returns its size.
 */
size_t container_plain_name(const char *name, size_t size, char *plain);

/* The problem of a container, in place of an errno. container_explain returns NULL for an errno. */
enum container_failure {
	CONTAINER_IS_DAMAGED = 1 << 24,
	CONTAINER_IS_ENCRYPTED,
	CONTAINER_INFLATES_TOO_FAR,
	CONTAINER_HAS_TOO_MANY,
	CONTAINER_IS_TOO_DEEP,
	CONTAINER_IS_TOO_LARGE_INSIDE,
	CONTAINER_HAS_LONG_NAME,
	CONTAINER_IS_NOT_READ,
	CONTAINER_HAS_DAMAGED_TEXT,
	CONTAINER_DECLARES_ENTITIES,
	CONTAINER_HAS_LONG_TEXT,
	CONTAINER_IS_FILTERED,
	CONTAINER_IS_FATAL,
	CONTAINER_IS_ENDLESS,
	CONTAINER_ENDS_THE_RUN,
	CONTAINER_IS_VOLUME,
	CONTAINER_HAS_SAME_NAMES,
	CONTAINER_HAS_REST,
	CONTAINER_NEEDS_MEMORY,
	CONTAINER_HAS_NO_END,
	CONTAINER_IS_OVER_LIMIT,
	CONTAINER_IS_NOT_GZIP,
	CONTAINER_HAS_NO_TEXT,
	CONTAINER_IS_CUT_MAIL,
	CONTAINER_IS_LARGE_MAIL,
	CONTAINER_HAS_UNKNOWN_VOLUMES,
	FILE_HAS_LARGE_HOLES /* from scan_file, for any file */
};
const char *container_explain(int failure);
/* The failure for an errno of inflating: EOVERFLOW is a limit, and EILSEQ another format. */
int container_failure_of(int inflating_errno);

/*
 * Is this failure a part that is left out by its nature or by a limit? Such a part is reported, and
 * the run still succeeds.
 */
bool container_is_left_out(int failure);
/*
 * For a run that looks only for text: return the failure to report about a file, or 0. A damaged
 * document is left out, and a damaged zip file that is not a document does not matter.
 */
int container_text_failure(int failure, bool is_document);
/* Is only the text of a document incomplete? All bytes of the document have a row. */
bool container_lacks_text(int failure);
/*
 * Is this failure a part that is left out by a limit? Another run with other options may read it.
 */
bool container_may_be_read_later(int failure);

#endif

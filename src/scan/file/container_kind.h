/*
 * The kinds of containers (archives and compressed files) as bits, recognized by their first bytes.
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
	CONTAINER_TEXT = 1 << 14 /* of documents, which are zip files */
};
#define CONTAINER_KINDS 15
#define CONTAINER_ALL ((1u << CONTAINER_KINDS) - 1)
/* Of one stream of bytes, which may be an archive. */
#define CONTAINER_COMPRESSED ((CONTAINER_TEXT - 1u) & ~(CONTAINER_GZIP - 1u))

#define CONTAINER_NAME_MAX 1020 /* bytes of a member's name, which is what MySQL stores */
#define CONTAINER_DEPTH_MAX 16
#define CONTAINER_DEPTH 3 /* by default */

/* What has to be read for these kinds: for the text of documents, zip files. */
static inline unsigned container_read_for(unsigned kinds)
{
	return (kinds & CONTAINER_TEXT) != 0 ? kinds | CONTAINER_ZIP : kinds;
}

/* The bytes of a file from its beginning by which all kinds can be told. */
#define CONTAINER_HEAD_SIZE 32774

/*
 * The kind of what begins with these bytes, or 0. Both ZSTD and LZ4 for frames that both skip and
 * that are longer than these bytes.
 */
unsigned container_kind(const void *head, size_t size);

/* The size of a frame that zstd and lz4 skip and that begins here, or 0. Takes 8 bytes. */
int64_t container_skipped_frame(const void *head, size_t size);

/* Is it one of several volumes of an archive of this kind, by its first bytes? */
bool container_is_volume(unsigned kind, const void *head, size_t size);

/* The names of all kinds in the order of their bits, ended by NULL. */
extern const char *const container_names[];

/*
 * The name of what is in a compressed file: "a.txt" of "a.txt.xz", "a.tar" of "a.txz", and else the
 * name of the file. Writes it, of at most size + 4 bytes, and returns its size.
 */
size_t container_plain_name(const char *name, size_t size, char *plain);

/* What is wrong with a container, in the place of an errno; NULL for what is one. */
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
	CONTAINER_HAS_NO_END
};
const char *container_explain(int failure);

/* Is this left out by its nature or by a limit? It is reported, and the run is still a success. */
bool container_is_left_out(int failure);
/* Is it by a limit? Another run, with other options, may read it. */
bool container_may_be_read_later(int failure);

#endif

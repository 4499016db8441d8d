/*
 * One archive as libarchive reads it: a file, or a member of another archive that is in memory.
 * Only the requested formats and filters are enabled, one by one, and none that would run a
 * program.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_CONTAINER_LEVEL_H
#define SIMHASH_SCAN_CONTAINER_LEVEL_H

#include <archive.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "scan/file/reading.h"
#include "simhash.h"

struct document;
struct gzip;

struct container_file {
	struct reading reading;
	int64_t offset, size_bytes;
	int64_t begin;	  /* where the archive begins, behind other bytes */
	int failed_errno; /* of a read that failed, or 0 */
	uint8_t *buffer;
};

struct container_level {
	struct archive *archive;
	uint8_t *memory;    /* owned; NULL for a file */
	struct gzip *gzip;  /* a gzip file, whose content the archive is; or NULL */
	size_t prefix_size; /* of the names of its members */
	bool is_begun;	    /* it has had a member */
	bool is_for_text;   /* members get no rows */
	bool has_gaps;	    /* of bytes that are not a member */
	bool is_volume;	    /* one of several of an archive */
	unsigned kind;
	int failed_as_opened;	   /* what went wrong when its format was looked for, or 0 */
	unsigned unnamed;	   /* members whose names are not text */
	struct document *document; /* whose parts are read; or NULL */
};

/* See container_kinds and container_library. */
int container_level_kinds(unsigned *kinds, struct simhash_error *error);
const char *container_level_library(void);

/*
 * Open what has the kind `kind` and begins at file->begin, for all of `kinds`. -1 with an errno or a
 * container_failure.
 */
int container_level_open_file(struct container_level *level, struct container_file *file,
			      unsigned kinds, unsigned kind, int *why);
/* Takes the memory over, also when it fails. */
int container_level_open_memory(struct container_level *level, uint8_t *memory, size_t size,
				unsigned kinds, unsigned kind, int *why);
/*
 * Tell by the first member, and by the name of the archive itself, whether it is a document whose
 * text is among `kinds`. Later members change nothing. -1 when memory is short.
 */
int container_level_begin(struct container_level *level, unsigned kinds, struct bytes name,
			  struct bytes member);
/* False where libarchive knows no format of it, and where it has no bytes. */
bool container_level_is_archive(const struct container_level *level);
/* Were bytes or members skipped before a header with this status? */
bool container_level_is_after_gap(const struct container_level *level, int status);
/* After the end: is it a tar file without the zeros that mark its end? */
bool container_level_has_no_end(const struct container_level *level);
/* Is it a gzip file in a gzip file? The inner one is an archive inside of it, whose checksum counts. */
bool container_level_has_gzip(const struct container_level *level);
/* Has inflating it failed so far? Then libarchive sees the end of it. */
bool container_level_is_damaged(const struct container_level *level);
/*
 * Inflate what an archive in a gzip file leaves unread, since the checksum comes last: up to `size`
 * bytes. 0 at the end and for other files, -1 for a failure, also of the bytes that were read before.
 */
ssize_t container_level_read_on(struct container_level *level, void *buffer, size_t size);
/*
 * After the end of the archive of a file: where other bytes begin that it does not read, except
 * zeros; or -1, also with file->failed_errno.
 */
int64_t container_level_rest(const struct container_level *level, struct container_file *file);
/* What went wrong: an errno or a container_failure. */
int container_level_failure(const struct container_level *level);
void container_level_close(struct container_level *level);

#endif

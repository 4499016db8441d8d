/*
 * Opens one archive with libarchive: a file, or a member of another archive in memory. Only the
 * requested formats and filters are enabled, and none that runs a program.
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

struct container_image;
struct document;
struct gzip;
struct mail;

struct container_file {
	struct reading reading;
	int64_t offset, size_bytes;
	int64_t begin;	  /* where the archive begins, after other bytes */
	int failed_errno; /* the errno of a failed read, or 0 */
	uint8_t *buffer;
};

struct container_level {
	struct archive *archive;
	uint8_t *memory;	       /* owned; NULL for a file */
	struct gzip *gzip;	       /* for a gzip file, whose content is the archive; or NULL */
	size_t prefix_size;	       /* the size of the prefix of its members' names */
	struct container_file *file;   /* NULL: the archive is in memory, with `size` bytes */
	struct container_image *image; /* for the image of a disk; or NULL */
	size_t size, at;	       /* `at` is where mail is read in the memory */
	struct mail *mail;	       /* for mail, which libarchive does not read; or NULL */
	struct archive_entry *entry;   /* the current part of the mail; owned */
	bool has_header;	       /* libarchive has looked for a first member */
	bool is_begun;		       /* a member was read */
	bool is_for_text;	       /* its members get no rows */
	bool has_gaps;		       /* some bytes do not belong to a member */
	bool is_volume;		       /* one of several volumes of an archive */
	unsigned kind;
	int left_out;		   /* why a part of an image was not read, or 0 */
	int failed_as_opened;	   /* the failure when the format was detected, or 0 */
	unsigned unnamed;	   /* the number of members whose names are not text */
	struct document *document; /* receives the parts; or NULL */
};

/* See container_kinds and container_library. */
int container_level_kinds(unsigned *kinds, struct simhash_error *error);
const char *container_level_library(void);

/*
 * Open the archive of kind `kind` at file->begin. A compressed file may contain any of `kinds`. -1
 * with an errno or a container_failure.
 */
int container_level_open_file(struct container_level *level, struct container_file *file,
			      unsigned kinds, unsigned kind, int *why);
/* The same for an archive in memory. Takes ownership of the memory, even after a failure. */
int container_level_open_memory(struct container_level *level, uint8_t *memory, size_t size,
				unsigned kinds, unsigned kind, int *why);
/* Read the header of the next member; the answer is one of archive_read_next_header. */
int container_level_next(struct container_level *level, struct archive_entry **entry);
/* Read bytes of the member like archive_read_data. */
ssize_t container_level_read(struct container_level *level, void *buffer, size_t size);
/* Return the kind of the current member, which begins with these bytes, or 0. */
unsigned container_level_inside(const struct container_level *level, const void *head, size_t size);
/* After a member, or after the last one: return the failure of incomplete mail, once; or 0. */
int container_level_lacks(struct container_level *level);
/*
 * Decide by the first member, and by the archive's own name, whether it is a document and its text
 * is among `kinds`. Later members change nothing. -1 if memory is short.
 */
int container_level_begin(struct container_level *level, unsigned kinds, struct bytes name,
			  struct bytes member);
/* False if libarchive does not know its format, or if it is empty. */
bool container_level_is_archive(const struct container_level *level);
/* Were bytes or members skipped before a header with this status? */
bool container_level_is_after_gap(const struct container_level *level, int status);
/* Is this entry another name of a member? */
bool container_level_is_link(const struct container_level *level, struct archive_entry *entry);
/* After the end: is it a tar file without the zeros that mark the end? */
bool container_level_has_no_end(const struct container_level *level);
/*
 * Is it a gzip file with another gzip file or the image of a disk? These are archives inside it, and
 * the checksum of an inner gzip file counts.
 */
bool container_level_has_inner(const struct container_level *level);
/* Has inflating failed so far? Then libarchive sees an end of file. */
bool container_level_is_damaged(const struct container_level *level);
/*
 * Inflate up to `size` bytes of a gzip file after the archive in it, because the checksum comes
 * last. Returns 0 at the end and for other files, -1 for a failure, even if it occurred in earlier
 * bytes.
 */
ssize_t container_level_read_on(struct container_level *level, void *buffer, size_t size);
/*
 * After the end of a file's archive: return where other bytes begin that it does not read, except
 * zeros. Returns -1 if there are none, or on an error with file->failed_errno.
 */
int64_t container_level_rest(const struct container_level *level, struct container_file *file);
/* Return the failure: an errno or a container_failure. */
int container_level_failure(const struct container_level *level);
void container_level_close(struct container_level *level);

/* ---- Images of disks, for the functions above: their files look like members ---- */

/* Open the image in the level's file or memory. -1 with an errno or a container_failure. */
int container_image_open(struct container_level *level, int *why);
/* The answers are those of archive_read_next_header and archive_read_data. */
int container_image_next(struct container_level *level, struct archive_entry **entry);
la_ssize_t container_image_read(struct container_level *level, void *buffer, size_t size);
void container_image_close(struct container_level *level);

/* ---- Mail: used by the functions above ---- */

/* These return a status of libarchive. */
int container_mail_open(struct container_level *level);
int container_mail_next(struct container_level *level, struct archive_entry **entry);
ssize_t container_mail_read(struct container_level *level, void *buffer, size_t size);
void container_mail_close(struct container_level *level);

#endif

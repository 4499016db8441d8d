/*
 * Scans a file, its inflated content or standard input and completes its row. The bytes are read
 * once and hashed in the same pass.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_SCAN_FILE_H
#define SIMHASH_SCAN_SCAN_FILE_H

#include "scan/file/file_scanner.h"

struct shared_scan;

/*
 * Scan the file `name` of a directory and complete `row`, whose name and hash are set. The caller
 * drops its sketches, if any were requested. Unless `shared` is NULL, other threads may help with a
 * large file; the caller cancels `shared` afterwards. errno is FILE_HAS_LARGE_HOLES if hashing its
 * holes would take too long.
 */
enum scan_outcome scan_file(struct file_scanner *scanner, int directory_fd, const char *name,
			    struct shared_scan *shared, struct file_row *row);

/*
 * The same for the inflated content of a gzip file. errno is EILSEQ for a file of another format,
 * EBADMSG for a damaged file, EOVERFLOW if it inflates to more than scanner->max_inflated_bytes,
 * and CONTAINER_ENDS_THE_RUN if scanner->inflated_left is exceeded.
 */
enum scan_outcome scan_inflated(struct file_scanner *scanner, int directory_fd, const char *name,
				struct file_row *row);

/*
 * Scan a file that a user named; with `is_inflated`, the content of a gzip file; if `path` is NULL,
 * standard input to its end. `row->name` must be set, for its extension. -1 with errno as above,
 * and EISDIR if it is not a regular file. The scanner must follow links, and nothing stops it.
 */
int scan_named(struct file_scanner *scanner, const char *path, bool is_inflated,
	       struct file_row *row);

/* Return CONTENTS_IS_ARCHIVE if a content begins like a requested archive, else 0. */
int64_t scan_archive_mark(const struct file_scanner *scanner, size_t size);

/* Compute the content hash of an open file of this size. -1 with errno. */
int scan_hash(const struct file_scanner *scanner, int fd, int64_t size_bytes, uint8_t *hash);

/* Count inflated bytes. False if the run may not inflate more. */
bool scan_may_inflate(const struct file_scanner *scanner, size_t size);

/*
 * Find which of scanner->containers an open file is, or has after other bytes, or 0. Unless `begin`
 * is NULL, *begin is its place. -1 with errno if the file could not be read.
 */
int scan_kind(const struct file_scanner *scanner, int fd, unsigned *kind, int64_t *begin);

#endif

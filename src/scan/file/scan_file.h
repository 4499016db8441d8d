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
 * Scan the file `name` of a directory and complete `row`, whose name and hash are set. The
 * caller drops its sketches, if any were asked for. With `shared`, unless that is NULL, other
 * threads may help with a large file; the caller cancels it afterwards.
 */
enum scan_outcome scan_file(struct file_scanner *scanner, int directory_fd, const char *name,
			    struct shared_scan *shared, struct file_row *row);

/*
 * The same for the inflated content of a gzip file. errno is EILSEQ for a file of another format,
 * EBADMSG for a damaged one, EOVERFLOW for one that inflates to more than
 * scanner->max_inflated_bytes, and CONTAINER_ENDS_THE_RUN where scanner->inflated_left is met.
 */
enum scan_outcome scan_inflated(struct file_scanner *scanner, int directory_fd, const char *name,
				struct file_row *row);

/*
 * Scan what a user named: a file, or with `is_inflated` the content of a gzip file, or for NULL
 * standard input to its end. `row->name` is set, for its extension. -1 with errno as above, and
 * EISDIR for what is not a regular file. The scanner follows links and has nothing to stop it.
 */
int scan_named(struct file_scanner *scanner, const char *path, bool is_inflated,
	       struct file_row *row);

/* Count bytes that were inflated. False when the run may inflate no more. */
bool scan_may_inflate(const struct file_scanner *scanner, size_t size);

/*
 * Which of scanner->containers an open file is, or has behind other bytes, or 0; and, unless that is
 * NULL, where it begins. -1 with errno where the file could not be read.
 */
int scan_kind(const struct file_scanner *scanner, int fd, unsigned *kind, int64_t *begin);

#endif

/*
 * From a file to its row: read once, scanned and hashed in the same pass.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_SCAN_FILE_H
#define SIMHASH_SCAN_SCAN_FILE_H

#include <stdatomic.h>
#include <sys/types.h>

#include "scan/sketching.h"
#include "store/store.h"

struct content_hash;
struct shared_scan;

/* What a scanning thread needs; one for each thread. */
struct file_scanner {
	const struct simhash_tag_set *tag_set;
	bool follow;		 /* open through a symbolic link */
	const atomic_bool *stop; /* set to give up in the middle of a file */
	const struct store *own; /* whose files are left out; NULL for none */
	void *buffer;		 /* FILE_SCANNER_BUFFER bytes */
	int64_t max_inflated_bytes;
	atomic_llong *bytes_read; /* what is read is added here as it is; NULL for nowhere */
	struct content_hash *hash;
	struct sketching sketching; /* of no measures, unless some are asked for */
};

/* What stays in the second-level cache between being read, hashed and scanned. */
#define FILE_SCANNER_BUFFER (256 * 1024)

enum scan_outcome {
	SCAN_DONE,
	SCAN_GONE,   /* no longer there, or no longer a regular file */
	SCAN_FAILED, /* errno tells why; see below for inflated content */
	SCAN_OWN,    /* a file of the index itself, which changes as we write */
	SCAN_STOPPED
};

int file_scanner_init(struct file_scanner *scanner, const struct simhash_tag_set *tag_set,
		      bool follow, const atomic_bool *stop, struct simhash_error *error);
/* Make sketches of all files, too. */
int file_scanner_measure(struct file_scanner *scanner, struct simhash_measure *const *measures,
			 unsigned count, struct simhash_error *error);
void file_scanner_release(struct file_scanner *scanner);

/*
 * Scan FD_DIRECTORY/NAME and complete `row`, whose name and hash are set, and whose
 * sketches, if any were asked for, are then the caller's to drop. With
 * `shared`, unless that is NULL, other threads may help with a large file; the
 * caller cancels it afterwards.
 */
enum scan_outcome scan_file(struct file_scanner *scanner, int directory_fd, const char *name,
			    struct shared_scan *shared, struct file_row *row);

/*
 * The same for the inflated content of a gzip file. errno is EILSEQ where it is none,
 * EBADMSG where it is broken, and EOVERFLOW where it inflates to more than
 * scanner->max_inflated_bytes.
 */
enum scan_outcome scan_inflated(struct file_scanner *scanner, int directory_fd, const char *name,
				struct file_row *row);

/* Inflate what is left of a gzip file from a descriptor that this takes over. */
struct inflating;
struct inflating *inflating_new(int fd);				 /* NULL with errno */
ssize_t inflating_read(struct inflating *in, void *buffer, size_t size); /* -1 with errno */
void inflating_free(struct inflating *in);

/*
 * Scan what a descriptor gives, to its end: standard input. `row->name` is set, for
 * the extension. SCAN_DONE or SCAN_FAILED with errno.
 */
enum scan_outcome scan_stream(struct file_scanner *scanner, int fd, struct file_row *row);

#endif

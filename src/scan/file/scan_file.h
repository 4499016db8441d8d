/*
 * From a file to its row: read once, scanned and hashed in the same pass.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_SCAN_FILE_H
#define SIMHASH_SCAN_SCAN_FILE_H

#include <stdatomic.h>
#include <sys/types.h>

#include "scan/file/sketching.h"
#include "store/row/file_row.h"

struct store;
struct sandbox;
struct shared_scan;
struct crew;
struct led_content;

/* The state of a scanning thread; each thread has one. */
struct file_scanner {
	const struct simhash_tag_set *tag_set;
	bool follow;		 /* open through a symbolic link */
	const atomic_bool *stop; /* when set, a scan ends early */
	const struct store *own; /* an index whose own files are not scanned; or NULL */
	void *buffer;		 /* FILE_SCANNER_ROOM bytes, aligned; content_add may change it */
	int64_t max_inflated_bytes;  /* of one compressed file, or all of one container */
	atomic_llong *inflated_left; /* bytes that the run may still inflate; NULL: any number */
	struct sandbox *sandbox; /* owned, in which containers are read; NULL: in this process */
	void (*free_sandbox)(struct sandbox *sandbox); /* see sandbox_isolate */
	unsigned containers;	   /* kinds that are looked for: see container_kind.h */
	unsigned max_depth;	   /* of containers in containers */
	bool has_kind;		   /* of the file that was scanned last, is the next known? */
	unsigned kind;		   /* of it, where that is looked for; 0: it is not a container */
	bool has_rest;		   /* did other bytes follow the gzip file that was scanned last? */
	atomic_llong *bytes_read;  /* a running total of what was read; or NULL */
	struct XXH3_state_s *hash; /* of the content */
	struct sketching sketching; /* empty unless measures were asked for */
	bool no_resemblance;	    /* make no resemblance sketches */
	struct simhash_resemblance_scanner *resemblance;
	struct crew *crew;	 /* whose threads may help with a large content; or NULL */
	struct led_content *led; /* of that crew, once it was wanted */
};

/* Fits the second-level cache, where bytes are read, hashed and scanned in turn. */
#define FILE_SCANNER_BUFFER (256 * 1024)
/* With room for the bytes that a unit of a large file shares with the next one. */
#define FILE_SCANNER_ROOM (FILE_SCANNER_BUFFER + 4096)
#define SCAN_BUFFER_ALIGNMENT 4096 /* read() may copy to others at a quarter of the speed */

enum scan_outcome {
	SCAN_DONE,
	SCAN_GONE,   /* no longer there, or no longer a regular file */
	SCAN_FAILED, /* errno tells why; see below for inflated content */
	SCAN_OWN,    /* a file of the index itself, which changes while it is written */
	SCAN_STOPPED
};

int file_scanner_init(struct file_scanner *scanner, const struct simhash_tag_set *tag_set,
		      bool follow, const atomic_bool *stop, struct simhash_error *error);
/* Make sketches by these measures too, which are borrowed, and hashes; see sketching_init. */
int file_scanner_measure(struct file_scanner *scanner, struct simhash_measure *const *measures,
			 unsigned count, unsigned hashes, struct simhash_error *error);
void file_scanner_release(struct file_scanner *scanner);

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
 * NULL, where it begins.
 */
unsigned scan_kind(const struct file_scanner *scanner, int fd, int64_t *begin);

/* Compute the keys from the row's table and name, as scanning does. */
void row_compute_keys(struct file_row *row, const struct simhash_tag_set *tag_set);

#endif

/*
 * Scans the members of an archive, or the content of a compressed file, one after another in one
 * pass, each like a file. An archive inside an archive is read after its own row, so its members
 * follow it.
 *
 *     container = container_open(&scanner, fd, &status, name);
 *     while ((answer = container_next(container, &row)) != CONTAINER_END)
 *             if (answer == CONTAINER_MEMBER)
 *                     use(&row);
 *             else if (answer == CONTAINER_TROUBLE)
 *                     report(container_name(container), container_why(container));
 *     container_close(container);
 *
 * Anybody may have made the archive, so everything has a limit. All members together have at most
 * scanner->max_inflated_bytes and at most 200 bytes for each byte of the file. There are at most a
 * million members and scanner->max_depth nested archives, and an archive inside another must fit
 * into memory. The caller gets CONTAINER_TROUBLE if a limit is exceeded. Nothing is written
 * anywhere. With scanner->sandbox a separate process reads the archive, see sandbox.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_CONTAINER_H
#define SIMHASH_SCAN_CONTAINER_H

#include <sys/stat.h>

#include "base/basic/bytes.h"
#include "scan/file/container_kind.h"
#include "scan/file/scan_file.h"
#include "store/row/file_row.h"

struct container;
struct sandbox;

/* Get the kinds that this build can open; 0 without libarchive. Error: SIMHASH_E_MEMORY. */
int container_kinds(unsigned *kinds, struct simhash_error *error);

/* Return the version of the library that reads archives, or NULL. */
const char *container_library(void);

/*
 * Open the container in an open file of one of the scanner's kinds; its base name is `name`. If the
 * name of a gzip file gives its content a separate row (see inflated_name), the content is omitted,
 * unless it is an archive. All arguments are borrowed. Returns NULL with errno.
 */
struct container *container_open(struct file_scanner *scanner, int fd, const struct stat *status,
				 struct bytes name);
void container_close(struct container *container);

enum container_answer {
	CONTAINER_END,
	CONTAINER_MEMBER,
	CONTAINER_TROUBLE, /* something was skipped; members may follow */
	CONTAINER_STOPPED  /* the scanner was told to stop */
};

/*
 * Get the next member. It sets the row's name, which lives until the next call, its size, counts,
 * keys, hash and sketches. The caller drops the sketches. For the text of a document, `contents` is
 * also set. If the document is a member itself, so are its hash and size: see CONTENTS_IS_TEXT.
 */
enum container_answer container_next(struct container *container, struct file_row *row);

/* A member to read again: the last member with this name. */
struct container_member {
	struct bytes name;
	uint8_t *bytes; /* owned by the caller, with room for `size` */
	size_t size;
	/* its bytes were read; otherwise it has changed, was removed, or could not be read */
	bool is_whole;
};

/*
 * Read members of an open archive again in one pass. They are sorted by name. *why is the problem,
 * an errno or an enum container_failure, or 0. If `sandbox` is NULL, this process reads.
 */
void container_extract(struct sandbox *sandbox, int fd, const struct stat *status,
		       struct bytes file_name, struct container_member *members, size_t count,
		       int *why);

/*
 * After CONTAINER_TROUBLE: the name of the member, empty for the file itself, and an errno or an
 * enum container_failure.
 */
struct bytes container_name(const struct container *container);
int container_why(const struct container *container);

#endif

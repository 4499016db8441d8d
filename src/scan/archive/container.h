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
 * Anybody may have made the archive, so everything is bounded: the bytes of all members by
 * scanner->max_inflated_bytes and by 200 for each byte of the file, members by a million, depth by
 * scanner->max_depth, and an archive inside another by the memory that holds it. The caller gets a
 * trouble when a bound is met. Nothing is written anywhere. With scanner->sandbox a separate
 * process reads the archive, see sandbox.h.
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

/*
 * The kinds that this build can look into; 0 for a build without libarchive. Error:
 * SIMHASH_E_MEMORY.
 */
int container_kinds(unsigned *kinds, struct simhash_error *error);

/* The version of the library that reads archives, or NULL. */
const char *container_library(void);

/*
 * Look into an open file that is one of the scanner's kinds, and has the base name `name`. The
 * content of a gzip file that is no archive is left out where its name gives it a row of its own,
 * see inflated_name. All is borrowed. NULL with errno.
 */
struct container *container_open(struct file_scanner *scanner, int fd, const struct stat *status,
				 struct bytes name);
void container_close(struct container *container);

enum container_answer {
	CONTAINER_END,
	CONTAINER_MEMBER,
	CONTAINER_TROUBLE, /* something is left out; others may follow */
	CONTAINER_STOPPED  /* the scanner was told to stop */
};

/*
 * The next member. It sets the row's name, which lives until the next call, its size, counts, keys,
 * hash and sketches, which the caller drops.
 */
enum container_answer container_next(struct container *container, struct file_row *row);

/* What is read again: the last member of this name. */
struct container_member {
	struct bytes name;
	uint8_t *bytes; /* of the caller, with room for `size` */
	size_t size;
	bool is_whole; /* its bytes are there; else it has changed, is gone, or could not be read */
};

/*
 * Read members of an open archive again in one passage. They are in the order of their names. *why
 * is what was in the way, an errno or an enum container_failure, or 0. In this process where the
 * sandbox is NULL.
 */
void container_extract(struct sandbox *sandbox, int fd, const struct stat *status,
		       struct bytes file_name, struct container_member *members, size_t count,
		       int *why);

/* After CONTAINER_TROUBLE: which member it is about, empty for the file itself, and an errno or an
   enum container_failure. */
struct bytes container_name(const struct container *container);
int container_why(const struct container *container);

#endif

/*
 * Reads the bytes of an archive's members, or of a compressed file, piece by piece in one pass. An
 * archive inside an archive is unpacked after its own bytes, and so is the text of a document.
 *
 *     unpacker = unpacker_open(&request, fd, size_bytes, stop);
 *     while ((answer = unpacker_next(unpacker, buffer, &piece)) == UNPACKED_PIECE ||
 *            answer == UNPACKED_TROUBLE)
 *             use(&piece);
 *     unpacker_close(unpacker);
 *
 * The files may come from anybody, so they may be decoded in a separate process: see sandbox.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_UNPACKER_H
#define SIMHASH_SCAN_UNPACKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "base/text/document_dates.h"

#define PIECE_MAX ((size_t)256 * 1024) /* in bytes */

struct unpacker;

struct unpack_request {
	/* the kind of the file, by its first bytes, and the kinds of archives to read in it */
	unsigned kind, containers;
	unsigned max_depth;
	int64_t max_inflated_bytes;
	int64_t begin;		/* where the archive begins in the file, after other bytes */
	struct bytes file_name; /* the base name of the file */
	struct bytes wanted;	/* the only member to read; all if it has no data */
};

enum unpacked { UNPACKED_END, UNPACKED_PIECE, UNPACKED_TROUBLE, UNPACKED_STOPPED };

struct piece {
	/* The name of the member; empty if the problem concerns the file itself. */
	struct bytes name;
	size_t size; /* the number of bytes in the buffer */
	bool is_first, is_last;
	bool is_text;		     /* of the document around the member */
	struct document_dates dates; /* for a text: of its document */
	int why;		     /* the problem: an errno or an enum container_failure */
};

/*
 * Load all files and libraries that unpacking these kinds needs, before the process restricts
 * itself.
 */
void unpacker_prepare(unsigned kinds);

/* The file and the names of the request are borrowed. NULL with errno. */
struct unpacker *unpacker_open(const struct unpack_request *request, int fd, int64_t size_bytes,
			       const atomic_bool *stop);
void unpacker_close(struct unpacker *unpacker);

/*
 * Read the next piece of a member into `buffer`, which has PIECE_MAX bytes, or get a problem. After
 * a problem the current member has no more pieces. The name lives until the next call.
 */
enum unpacked unpacker_next(struct unpacker *unpacker, void *buffer, struct piece *piece);

/*
 * A number that grows while anything is read. A signal handler of the reading thread may call this.
 */
int64_t unpacker_progress(const struct unpacker *unpacker);

#endif

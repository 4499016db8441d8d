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
 * It decodes files that anybody may have made, and may do so in a separate process: see sandbox.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_SCAN_UNPACKER_H
#define SIMHASH_SCAN_UNPACKER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"

#define PIECE_MAX ((size_t)256 * 1024) /* bytes */

struct unpacker;

struct unpack_request {
	unsigned kind, containers; /* of the file by its first bytes, and those to look into */
	unsigned max_depth;
	int64_t max_inflated_bytes;
	int64_t begin;		/* where it begins in the file, behind other bytes */
	struct bytes file_name; /* its base name */
	struct bytes wanted;	/* this member alone; all where it has no data */
};

enum unpacked { UNPACKED_END, UNPACKED_PIECE, UNPACKED_TROUBLE, UNPACKED_STOPPED };

struct piece {
	struct bytes name; /* of the member; of a trouble, empty for the file itself */
	size_t size;	   /* bytes in the buffer */
	bool is_first, is_last;
	int why; /* of a trouble: an errno or an enum container_failure */
};

/* Load what unpacking needs of the system, before a process gives up the right to do so. */
void unpacker_prepare(void);

/* Both the file and the names of the request are borrowed. NULL with errno. */
struct unpacker *unpacker_open(const struct unpack_request *request, int fd, int64_t size_bytes,
			       const atomic_bool *stop);
void unpacker_close(struct unpacker *unpacker);

/*
 * The next piece of a member, into `buffer` of PIECE_MAX bytes, or what is wrong: then a member that
 * was begun has no more pieces. The name lives until the next call.
 */
enum unpacked unpacker_next(struct unpacker *unpacker, void *buffer, struct piece *piece);

/* Grows with whatever is read. Also for a signal handler of the thread that reads. */
int64_t unpacker_progress(const struct unpacker *unpacker);

#endif

/*
 * Reads members of an archive again, which are kept instead of files. The archive is open, and
 * locked by the caller, while its members are used. All requested members are read in one pass, by a
 * restricted process if possible, into a temporary file.
 *
 *     kept_archive_init(&kept);
 *     status = kept_archive_open(&kept, member, &why);        // opens its archive
 *     kept_archive_forget(&kept);
 *     kept_archive_add(&kept, member->path, member->size_bytes);  // for each member
 *     kept_archive_read(&kept);
 *     bytes = kept_archive_find(&kept, member->path, member->size_bytes);
 *     kept_archive_release(&kept);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_KEPT_ARCHIVE_H
#define SIMHASH_ACT_KEPT_ARCHIVE_H

#include "act/file/side.h"
#include "scan/archive/sandbox.h"

/* Members of this many bytes are read in one pass, and at least one. */
#define KEPT_ARCHIVE_BYTES ((size_t)512 << 20)

struct kept_member {
	struct bytes name; /* in the archive */
	size_t at, size;
	bool is_whole;
};

struct kept_archive {
	struct sandbox_use use;
	struct sandbox *sandbox;
	struct side side;	     /* fd -1: none */
	char *path;		     /* of the archive; owned */
	struct kept_member *members; /* sorted by name after kept_archive_read */
	size_t count, capacity;
	uint8_t *bytes; /* of all members; NULL: not read */
	size_t size;
};

void kept_archive_init(struct kept_archive *kept);
void kept_archive_release(struct kept_archive *kept);

/*
 * Is the archive of this member open, with the size and time that the member has in the index? If
 * archive_bytes is KEEP_SIZE_UNKNOWN, they may be different.
 */
bool kept_archive_has_open(const struct kept_archive *kept, const struct keep_file *member);

/* Close the open archive, and open the archive of a member. On -1, `why` has the reason. */
int kept_archive_open(struct kept_archive *kept, const struct keep_file *member,
		      struct simhash_error *why);
/* Also ends its lock. */
void kept_archive_close(struct kept_archive *kept);

/* Forget all requested members. */
void kept_archive_forget(struct kept_archive *kept);

/*
 * Request one more member of the open archive. The path must stay valid. False if it is in another
 * archive, if it exceeds KEPT_ARCHIVE_BYTES, or if memory is short.
 */
bool kept_archive_add(struct kept_archive *kept, const char *path, int64_t size_bytes);

/* Read the requested members. Members that cannot be read are not found afterwards. */
void kept_archive_read(struct kept_archive *kept);

/* The bytes of a member, or NULL. */
const uint8_t *kept_archive_find(const struct kept_archive *kept, const char *path,
				 int64_t size_bytes);

#endif

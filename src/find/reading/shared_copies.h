/*
 * Finds copies that already share their blocks with the file that stays (reflinks), and counts the
 * space that removing copies would free, each block once.
 *
 *     shared_copies_begin(&shared, file);                     // the first file of a content
 *     shared_copies_take(&shared, copy, &taken, &error);      // for each of its copies
 *     shared_copies_release(&shared);
 *
 * On file systems whose files cannot share blocks, no file is opened.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_SHARED_COPIES_H
#define SIMHASH_FIND_SHARED_COPIES_H

#include "base/files/extents.h"
#include "find/rule/file.h"

/* Can the files of a device share blocks? */
struct sharing_device {
	int64_t number;
	bool shares;
};

/* All zero to begin with. For one thread at a time. */
struct shared_copies {
	struct sharing_device *devices;
	size_t device_count, device_capacity;
	const struct find_file *first; /* the file that stays */
	bool is_begun;		       /* its extents were read, and `counts` has them */
	struct extents kept, copy;
	struct block_counts counts;
};

struct shared_copy {
	bool is_shared;	     /* all its blocks are blocks of the file that stays */
	int64_t freed_bytes; /* what removing it, after the copies before it, would free */
};

/* Begin with a file that stays. It must stay valid until its last copy. */
void shared_copies_begin(struct shared_copies *shared, const struct find_file *first);

/*
 * Examine a copy, which is not in an archive. Files of other hosts, and files that cannot be opened
 * as they were indexed, share nothing. Errors: SIMHASH_E_MEMORY.
 */
int shared_copies_take(struct shared_copies *shared, const struct find_file *copy,
		       struct shared_copy *taken, struct simhash_error *error);

void shared_copies_release(struct shared_copies *shared);

#endif

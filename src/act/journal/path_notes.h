/*
 * A table of paths, with the facts that a run or its undo must remember.
 *
 *     if (path_notes_add(&notes, path, &note, &error) != 0)   // find or add
 *             return -1;
 *     note->lost++;                                           // before the next call
 *     path_notes_release(&notes);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_ACT_PATH_NOTES_H
#define SIMHASH_ACT_PATH_NOTES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/basic/bytes.h"
#include "base/data/arena.h"
#include "base/data/slots.h"

struct path_note {
	struct bytes path; /* with a terminating zero */
	/* A directory: its times before the run changed its names. */
	int64_t mtime_ns, atime_ns;
	/* A directory: the number of its names that the run removed. */
	int64_t lost;
	bool is_listed; /* the directory is in a list of directories to examine */
	/* A file or directory that would be restored: where its content is now; NULL: nowhere. */
	const char *now;
};

/* All zero at the beginning. */
struct path_notes {
	struct path_note *list;
	size_t count, capacity;
	struct slots slots;
	struct arena paths;
};

/* The note of a path, or NULL. It moves when another path is added. */
struct path_note *path_notes_find(const struct path_notes *notes, struct bytes path);

/* Find the note of a path. A new one has zero in all other fields. */
int path_notes_add(struct path_notes *notes, struct bytes path, struct path_note **note,
		   struct simhash_error *error);
void path_notes_release(struct path_notes *notes);

#endif

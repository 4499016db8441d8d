/*
 * Reads one directory:
 *
 *     entries_open(&entries, directory, NULL, error);
 *     while ((found = entries_next(&entries, &chunk, error)) > 0)
 *             if (found == ENTRIES_DIRECTORY)
 *                     ... visit entries.name
 *             else
 *                     ... chunk has the files, or a part of them
 *     entries_close(&entries);
 *
 * The exclusions and the ignore files decide which entries are found. Entries that cannot be read
 * are added to the failures, and the last chunk of their directory is CHUNK_INCOMPLETE.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_INDEX_ENTRIES_H
#define SIMHASH_INDEX_ENTRIES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/files/entry_reader.h"
#include "index/walk/chunk.h"
#include "index/walk/exclusions.h"
#include "index/walk/failures.h"

struct walk_options {
	bool follow;	      /* follow symbolic links; each directory is then visited once */
	bool one_file_system; /* do not enter directories of other file systems */
	bool inflate;	      /* find gzip files twice: as they are, and inflated */
	/*
	 * An entry that disappears while the walk runs is a failure: it may have been moved to a
	 * directory that was already read.
	 */
	bool reports_vanished;
	const struct exclusions *exclusions;
	/* The maximum number of parents that stay open while their subdirectories wait. */
	unsigned held_max;
	const atomic_bool *stop;   /* set from outside to stop early */
	struct failures *failures; /* NULL: report nothing */
	/*
	 * Is the disk of this file system busy, so that the walk prefers to read directories of
	 * others? Any thread calls it. NULL: never.
	 */
	bool (*is_busy)(void *context, uint64_t device);
	void *busy_context;
	/* Counts the skipped file systems of the kernel; or NULL. */
	atomic_uint *kernel_file_systems;
};

/* All zero at the beginning, except for the options. */
struct entries {
	const struct walk_options *options; /* borrowed */
	struct directory *directory;	    /* borrowed */
	const char *name;		    /* the last subdirectory */
	struct entry_reader reader;
	const char *only; /* the only file to find, or NULL */
	bool has_parts, has_failed, is_over;
	char *path; /* the path of an entry, relative to the top */
	size_t path_capacity;
	struct chunk_gathering gathering;
};

enum { ENTRIES_END, ENTRIES_DIRECTORY, ENTRIES_FILES };

void entries_release(struct entries *entries);

/*
 * Begin to read an open directory. A directory that cannot be read has no entries. With `only`, the
 * file of that name is the only entry, even if the exclusions exclude it.
 */
int entries_open(struct entries *entries, struct directory *directory, const char *only,
		 struct simhash_error *error);

/* Return the next result, ENTRIES_END, or -1. The last chunk comes even if it has no files. */
int entries_next(struct entries *entries, struct chunk *chunk, struct simhash_error *error);

void entries_close(struct entries *entries);

#endif

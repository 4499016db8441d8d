/*
 * Reads one directory:
 *
 *     entries_open(&entries, directory, NULL, error);
 *     while ((found = entries_next(&entries, &chunk, error)) > 0)
 *             if (found == ENTRIES_DIRECTORY)
 *                     ... entries.name is to be visited
 *             else
 *                     ... chunk has the files, or a part of them
 *     entries_close(&entries);
 *
 * The exclusions and the ignore files decide which entries are found. Entries that cannot be read are
 * added to the failures, and their directory comes as CHUNK_INCOMPLETE.
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
	bool follow;	      /* symbolic links; each directory is then visited once */
	bool one_file_system; /* directories of others are not entered */
	bool inflate;	      /* gzip files come twice: as they are, and inflated */
	const struct exclusions *exclusions;
	unsigned held_max;	   /* parents that stay open for subdirectories to be visited */
	const atomic_bool *stop;   /* set from outside to end early */
	struct failures *failures; /* NULL: nothing is reported */
	atomic_uint *kernel_file_systems; /* counts those that are left out; or NULL */
};

/* Zeros but for the options. */
struct entries {
	const struct walk_options *options; /* borrowed */
	struct directory *directory;	    /* borrowed */
	const char *name;		    /* the subdirectory that was found last */
	struct entry_reader reader;
	const char *only; /* the one file to be found, or NULL */
	bool has_parts, has_failed, is_over;
	char *path; /* of an entry, relative to the top */
	size_t path_capacity;
	struct chunk_gathering gathering;
};

enum { ENTRIES_END, ENTRIES_DIRECTORY, ENTRIES_FILES };

void entries_release(struct entries *entries);

/*
 * Begin with a directory that is open. One that cannot be read has no entries. With `only`, the
 * file of that name is its one entry, whatever the exclusions say.
 */
int entries_open(struct entries *entries, struct directory *directory, const char *only,
		 struct simhash_error *error);

/* The next that is found; ENTRIES_END, or -1. The last chunk comes even if it has no files. */
int entries_next(struct entries *entries, struct chunk *chunk, struct simhash_error *error);

void entries_close(struct entries *entries);

#endif

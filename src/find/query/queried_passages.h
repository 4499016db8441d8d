/*
 * Finds short requested files inside the files of the index by reading all these files. A file is
 * short if a larger file may have too few of its pieces (find/query/queried_parts.h).
 *
 *     queried_passages_find(&passages, files, count, finder, &error);
 *     ... queried_passages_take(&passages, &pair) before each pair that is found otherwise ...
 *     while ((found = queried_passages_next(&passages)) != NULL)
 *             ; // a pair that was not found otherwise
 *     queried_passages_release(&passages);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_QUERIED_PASSAGES_H
#define SIMHASH_FIND_QUERIED_PASSAGES_H

#include "base/data/hash_set.h"
#include "find/rule/queried_file.h"

/* A requested file, and a file with most of it. */
struct found_passage {
	struct find_file queried, file; /* their displayed names are in the arena */
	struct relation relation;
	struct part_place place;
	bool is_known; /* the pair was found otherwise */
};

/* All zero at the beginning. Release it also after an error. */
struct queried_passages {
	struct found_passage *items; /* sorted by file, then by requested file */
	size_t count, capacity, next;
	struct hash_set queried;    /* path hashes of the requested files that were searched */
	bool has_stream;	    /* standard input was also searched */
	struct hash_set unsearched; /* path hashes of files that could not be read */
	struct find_counts counts;  /* `brief` and `elsewhere` */
	struct arena arena;
};

/* Is a file of the index the requested file, its archive or its member? */
bool queried_is_itself(const struct find_file *queried, const struct find_file *file);

/* Can this file be missed if only the pieces are compared? */
bool queried_is_short(const struct queried_file *queried);

/*
 * Find the short ones of these files, if the request reads files. Files of the index that cannot be
 * read are reported to the sink. Error: memory is short, or the index cannot be read.
 */
int queried_passages_find(struct queried_passages *passages, const struct queried_file *files,
			  size_t count, const struct finder *finder, struct simhash_error *error);

/*
 * Did reading decide this pair, whose `a` is the requested file? Then it is not reported, or as a
 * passage. Otherwise it is not returned as a passage.
 */
bool queried_passages_take(struct queried_passages *passages, const struct file_pair *pair);

/* The next passage that was not found otherwise, or NULL. */
const struct found_passage *queried_passages_next(struct queried_passages *passages);

void queried_passages_release(struct queried_passages *passages);

#endif

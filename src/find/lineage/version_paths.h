/*
 * Decides by two paths which one is the earlier version, and whether they can be versions of one
 * file. docs/algorithm.md describes the rule.
 *
 *     struct version_path x = version_path_of(path), y = version_path_of(other);
 *     version_path_parse(&x, meanings); // optional, if x is compared with many others
 *     comparison = paths_compare(&x, &y);
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_VERSION_PATHS_H
#define SIMHASH_FIND_VERSION_PATHS_H

#include "find/lineage/rotations.h"
#include "find/lineage/version_names.h"

/* What two names say about the files being versions of one file. */
enum names_relation {
	NAMES_OTHER,   /* nothing in common, as with translations and letters */
	NAMES_COUNTED, /* the same except for a number that may count something */
	NAMES_ALIKE, /* the same except for directories, a date, an appended number or a rotation */
	NAMES_MARKED /* marked as a version, a backup or a copy */
};

struct version_path {
	struct bytes path, name; /* borrowed; name: the last part */
	size_t depth;		 /* the number of slashes */
	const uint8_t *meanings; /* borrowed; NULL: not parsed */
	struct rotation rotation;
	bool is_rotated; /* Is the name that of a rotated log? The caller can set it. */
};

struct version_path version_path_of(struct bytes path);

/* Compute once what each comparison needs. `meanings` has as many bytes as the path. */
void version_path_parse(struct version_path *path, uint8_t *meanings);

struct paths_comparison {
	struct name_order order; /* of the names and the directories, if they do not contradict */
	enum names_relation relation;
};

struct paths_comparison paths_compare(const struct version_path *x, const struct version_path *y);

#endif

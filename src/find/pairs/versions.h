/*
 * Recognizes pairs that the resemblance sketches propose regardless of the counts: versions with
 * very different sizes, and files that are contained in others.
 *
 * Two files are compared if they share one of 32 keys, each made of four registers. This misses one
 * pair in 5,000 at a resemblance of 0.7, and one in 8 at a resemblance of 0.5. A requested file is
 * compared with all files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_VERSIONS_H
#define SIMHASH_FIND_VERSIONS_H

#include "find/rule/find.h"

/*
 * Are two files a pair by their sketches alone, but not by the rule? Sets the distance, the
 * verification, the resemblance, and the contained shares.
 */
bool versions_match(const struct find_request *request, const struct find_file *x,
		    const struct find_file *y, struct relation *relation);

#endif

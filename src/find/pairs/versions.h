/*
 * Recognizes pairs that the resemblance sketches propose regardless of the counts: next versions
 * with very different sizes, and files that are contained in others.
 *
 * Files that share one of 32 keys, each made of four registers, are compared. For two files with a
 * resemblance of 0.7 that misses one pair in 5,000, and with a resemblance of 0.5 one in 8. A
 * requested file is compared with all.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_VERSIONS_H
#define SIMHASH_FIND_VERSIONS_H

#include "find/rule/find.h"

/*
 * Are two files a pair by their sketches alone, and not by the rule? Sets the distance, the
 * verification, the resemblance, and what is contained in which.
 */
bool versions_match(const struct find_request *request, const struct find_file *x,
		    const struct find_file *y, struct relation *relation);

#endif

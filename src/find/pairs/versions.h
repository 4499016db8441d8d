/*
 * Pairs that the resemblance sketches propose by themselves, whatever the counts say: next versions
 * whose sizes are far apart, and files that are contained in others.
 *
 * Files that share one of 32 keys, each made of four registers, are compared: of two files whose
 * resemblance is 0.7 that finds all but one in 5,000, at 0.5 one in 8 is missed. A file that is
 * asked for is compared with all.
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

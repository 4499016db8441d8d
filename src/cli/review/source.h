/*
 * Describes the files of a review.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REVIEW_SOURCE_H
#define SIMHASH_CLI_REVIEW_SOURCE_H

#include <stdbool.h>

#include "keep/keep.h"

struct store;
struct operands;
struct exclusions;

/* The files to review. All members are borrowed. */
struct review_source {
	struct store *store; /* closed by the caller after the review has read it */
	const struct simhash_tag_set *tags;
	const char *host, *url;
	const struct operands *operands;
	const struct exclusions *exclusions;
	const struct keep_policy *policy; /* for its protected directories */
	/* Is the file with this path left out? */
	bool (*leaves_out)(void *context, const char *path);
	void *context;
};

#endif

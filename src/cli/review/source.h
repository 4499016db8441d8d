/*
 * Describes the files of a review.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_CLI_REVIEW_SOURCE_H
#define SIMHASH_CLI_REVIEW_SOURCE_H

#include <stdbool.h>

#include "base/data/arena.h"
#include "keep/keep.h"

struct store;
struct operands;
struct exclusions;

/* A file that is similar to a file of the review, contains it or is part of it. */
struct review_relative {
	const char *name;  /* as it is displayed */
	const char *path;  /* NULL: it is on another host or in an archive, so it is not read */
	const char *label; /* such as "about 97 %" or "part of (12 %)" */
	const char *place; /* of the part in the file that contains it, or "" */
	bool is_contained; /* is it the part? */
	int64_t size_bytes, mtime_ns;
};

/* All zero to begin with. The arena has all texts. */
struct review_relatives {
	struct review_relative *items; /* the most similar file comes first */
	size_t count, capacity;
	struct arena texts;
};
void review_relatives_release(struct review_relatives *relatives);

/* The files to review. All members are borrowed. */
struct review_source {
	struct store *store; /* open until the review ends */
	const struct simhash_tag_set *tags;
	const char *host, *url;
	const struct operands *operands;
	const struct exclusions *exclusions;
	const struct keep_policy *policy; /* for its protected directories */
	/* Is the file with this path left out? */
	bool (*leaves_out)(void *context, const char *path);
	/* Find the files of the index that are related to the file with this path. */
	int (*find_relatives)(void *context, const char *path, struct review_relatives *found,
			      struct simhash_error *error);
	void *context;
};

#endif

/*
 * Plans one tree from many: moves files to the matching places below one directory, the
 * destination, and removes files with the same content. docs/apply.md describes the rules.
 *
 *     status = tree_plan(files, count, &request, &plan, &error);
 *     for (size_t i = 0; i < plan.acts.count; i++)
 *             act(&plan.acts.acts[i]);
 *     tree_plan_release(&plan);
 *
 * As in keep.h, no file is opened. In this order, no move overwrites a file, and no content is lost at any moment.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_KEEP_TREE_H
#define SIMHASH_KEEP_TREE_H

#include "base/data/arena.h"
#include "keep/keep.h"

struct tree_request {
	/* ACTION_DELETE: remove copies; otherwise copies stay where they are */
	const struct keep_policy *policy;
	/*
	 * Absolute paths without a slash at the end; "/" is empty. The destination need not exist. It
	 * does not matter which file systems they are on: a move may be a copy and a deletion.
	 */
	struct bytes destination;
	uint64_t device;	     /* of the destination, or of the nearest directory above it */
	const struct bytes *sources; /* the directories whose files move */
	size_t source_count;
	/*
	 * Remove only files that have a copy in the destination, and move all others, even if two
	 * of them are identical.
	 */
	bool merges;
};

struct tree_plan {
	/*
	 * First the deletions, copies of one file together. Then the moves, in the order of their
	 * paths. Then, in the same order, the deletions of other names of files that move to
	 * another file system. Refusals are files that would be moved or removed, but cannot be.
	 */
	struct plan acts;
	struct arena texts; /* holds the targets */
};

/* The number of the deepest source that has a file; they begin with 1. */
#define TREE_DESTINATION 0
#define TREE_NOWHERE UINT32_MAX /* below no source and not below the destination */
uint32_t tree_source_of(const struct tree_request *request, struct bytes path);

/*
 * Takes `files`, to which the plan points: all files below the sources and the destination,
 * each path once. A file is in the deepest of these directories that contains it. The caller
 * releases the plan on 0.
 */
int tree_plan(struct keep_file *files, size_t count, const struct tree_request *request,
	      struct tree_plan *plan, struct simhash_error *error);
void tree_plan_release(struct tree_plan *plan);

#endif

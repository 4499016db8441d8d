/*
 * Measures exactly the contents that two folders share.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDER_SHARE_H
#define SIMHASH_FIND_FOLDER_SHARE_H

#include "find/folders/folders.h"

#define IDENTICAL_MILLIONTHS ((uint32_t)SIMHASH_MILLION)

/* Of a content, while some folders are looked at. */
struct content_mark {
	uint32_t files;	     /* that the folder has; 0: it has none */
	uint32_t millionths; /* how much of it the other folder has, or will be counted with */
};

/* What a thread works with: a mark for each content, all zero between two calls. */
struct share_marks {
	struct content_mark *marks;
	uint32_t *own;	 /* contents of the folder */
	uint32_t *other; /* contents alike to these */
	size_t own_count, other_count;
};

int share_marks_init(struct share_marks *marks, const struct folder_tree *tree,
		     struct simhash_error *error);
void share_marks_release(struct share_marks *marks);

/* Folders from the first up to the one before `end`: those at or below a directory. */
struct folder_range {
	uint32_t first, end;
};

static inline struct folder_range range_of(const struct folder_tree *tree, uint32_t folder)
{
	return (struct folder_range){folder, tree->folders[folder].end};
}

/* Bytes of a content that count for `millionths` of each file. */
static inline int64_t add_shared(int64_t sum, int64_t size_bytes, uint32_t millionths,
				 uint64_t files)
{
	int64_t each = size_bytes / SIMHASH_MILLION * millionths +
		       size_bytes % SIMHASH_MILLION * millionths / SIMHASH_MILLION;

	return add_bytes(sum, each, files);
}

/* How many files of a content there are in a range. */
uint64_t content_files(const struct folder_tree *tree, uint32_t content, struct folder_range range);

/* How much of a content a range has: of itself, or of the one most alike to it. 0: nothing. */
uint32_t content_in(const struct folder_tree *tree, uint32_t content, struct folder_range range);

/* What two ranges that have no folder in common share; `bytes` and `files` of each are set before. */
void share_measure(const struct folder_tree *tree, struct share_marks *marks,
		   struct folder_range range_a, struct folder_range range_b, struct folder_share *a,
		   struct folder_share *b);

/*
 * The bytes that are free once the files of a that have a copy in b are gone. A file with a name
 * that stays elsewhere takes its room still.
 */
int64_t share_saved(const struct folder_tree *tree, struct share_marks *marks,
		    struct folder_range a, struct folder_range b);

/* All of a pair but its folders; `bytes` and `files` of each are set before. */
int folder_pair_measure(const struct folder_tree *tree, struct share_marks *marks,
			struct folder_range range_a, struct folder_range range_b,
			struct folder_pair *pair, struct simhash_error *error);

/* The tree that a request is about. To be released whatever it returns. */
int folder_tree_build(struct finder *finder, const struct folder_request *wanted,
		      struct folder_tree *tree, struct simhash_error *error);

/* Note the contents of a range, and how many files it has of each; then forget them. */
void share_mark(const struct folder_tree *tree, struct share_marks *marks,
		struct folder_range range);
void share_unmark(struct share_marks *marks);

#endif

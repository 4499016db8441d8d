/*
 * Measures exactly the contents that two folders share.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_FOLDER_SHARE_H
#define SIMHASH_FIND_FOLDER_SHARE_H

#include "find/folders/folders.h"

#define IDENTICAL_MILLIONTHS ((uint32_t)SIMHASH_MILLION)

/* A mark for a content while some folders are compared. */
struct content_mark {
	uint32_t files;	     /* the number of files in the folder; 0: none */
	uint32_t millionths; /* how much of the content the other folder has */
};

/* The working memory of a thread: a mark for each content, all zero between two calls. */
struct share_marks {
	struct content_mark *marks;
	uint32_t *own;	 /* the contents of the folder */
	uint32_t *other; /* the contents similar to them */
	size_t own_count, other_count;
};

int share_marks_init(struct share_marks *marks, const struct folder_tree *tree,
		     struct simhash_error *error);
void share_marks_release(struct share_marks *marks);

/* The folders at or below a directory: from `first` to before `end`. */
struct folder_range {
	uint32_t first, end;
};

static inline struct folder_range range_of(const struct folder_tree *tree, uint32_t folder)
{
	return (struct folder_range){folder, tree->folders[folder].end};
}

/* Add the bytes of files of a content that count with `millionths`. */
static inline int64_t add_shared(int64_t sum, int64_t size_bytes, uint32_t millionths,
				 uint64_t files)
{
	int64_t each = size_bytes / SIMHASH_MILLION * millionths +
		       size_bytes % SIMHASH_MILLION * millionths / SIMHASH_MILLION;

	return add_bytes(sum, each, files);
}

/* The number of files of a content in a range. */
uint64_t content_files(const struct folder_tree *tree, uint32_t content, struct folder_range range);

/*
 * How much of a content is in a range, in millionths: of the content itself, or of the most similar
 * content. 0: nothing.
 */
uint32_t content_in(const struct folder_tree *tree, uint32_t content, struct folder_range range);

/*
 * Measure the contents that two ranges without common folders share. `bytes` and `files` of both
 * must be set.
 */
void share_measure(const struct folder_tree *tree, struct share_marks *marks,
		   struct folder_range range_a, struct folder_range range_b, struct folder_share *a,
		   struct folder_share *b);

/*
 * The space that removing the files of a with a copy in b would free. A file with another name
 * elsewhere keeps its space.
 */
int64_t share_saved(const struct folder_tree *tree, struct share_marks *marks,
		    struct folder_range a, struct folder_range b);

/*
 * Measure everything about a pair except for its folders. `bytes` and `files` of both must be set.
 */
int folder_pair_measure(const struct folder_tree *tree, struct share_marks *marks,
			struct folder_range range_a, struct folder_range range_b,
			struct folder_pair *pair, struct simhash_error *error);

/* Build the tree for a request. Always release the tree, also after an error. */
int folder_tree_build(struct finder *finder, const struct folder_request *wanted,
		      struct folder_tree *tree, struct simhash_error *error);

/* Mark the contents of a range with their numbers of files; share_unmark removes the marks. */
void share_mark(const struct folder_tree *tree, struct share_marks *marks,
		struct folder_range range);
void share_unmark(struct share_marks *marks);

#endif

/*
 * Groups files by content, and contents by similarity.
 *
 * A content is all files that are identical under the same tolerance, and of the same extension if
 * the rule divides by it. Two contents are similar if a file of one and a file of the other are a
 * pair. Contents are in order by the key uniform, then by size, content hash and first path. A
 * content is decided upon when all before it are:
 *
 *     file = content_file_copy(&row, &error);    // for each file, in the order of uniform
 *     contents_add(&contents, files, count, &error);
 *
 *     content_meets(content, representative, &relation);     // for all before it that are similar
 *     content_decide(content);
 *     ... and when there are no more
 *     content_notices(alone, other, &relation);      // for all before it that are similar
 *     contents_mend(&contents);
 *
 * A content that is similar to no representative before it is a representative. Every other content
 * belongs to the representative before it that it is most alike to. So a content is compared with
 * representatives alone, and a family of n files costs n comparisons, not n * (n - 1) / 2.
 *
 * A representative without members may still be similar to a content that belongs to another one.
 * contents_mend brings these together: see there.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_CONTENTS_H
#define SIMHASH_FIND_CONTENTS_H

#include "find/rule/find.h"
#include "find/rule/sketch_keys.h"

enum linkage { LINK_REPRESENTATIVE, LINK_SINGLE };

#define NEIGHBOUR_DIMENSIONS 3

/* What neighbours.h looks a file up by. */
struct neighbour_place {
	int64_t sums[NEIGHBOUR_DIMENSIONS];
	unsigned power;
	bool has_keys;
	uint32_t key_hashes[SKETCH_KEYS];
};

struct content_file {
	struct content_file *next; /* of the content, files first, in the order of paths */
	struct unique_content *content;
	const struct find_file *file;
	struct neighbour_place *place; /* see neighbours_locate; NULL when it is needed no longer */
	bool is_compared;	       /* else one before it makes the same pairs */
};

struct unique_content {
	struct content_file *files;
	size_t file_count;
	struct unique_content
		*center; /* the representative; itself, if it is one; NULL: not decided */
	struct unique_content
		*nearest; /* of a representative: the most alike that belongs to another */
	/* To the center; of a representative, to the nearest. By the pair of files that is most alike. */
	struct relation relation;
	size_t members;	      /* other contents that belong to it */
	bool is_pair;	      /* two of its files are one */
	bool is_settled;      /* of one that is alone: all that is similar to it was noticed */
	bool is_open;	      /* see contents_take_finished */
	size_t number;	      /* in order, where it is set */
	size_t noticed;	      /* of one that is alone: those below this number were noticed */
	int64_t end_of_reach; /* the largest key uniform that one similar to it can have */
};

struct contents {
	struct unique_content **items; /* in order */
	size_t count, capacity;
	bool hard_links;   /* names of one file are files */
	bool crosses;	   /* only files of different sides are pairs: --between */
	bool by_extension; /* files of different extensions are none */
};

void contents_init(struct contents *contents, const struct find_request *request);

void contents_release(struct contents *contents);

/* A file that is borrowed, or a copy of it and its path. NULL with the error filled. */
struct content_file *content_file_new(const struct find_file *file, struct simhash_error *error);
struct content_file *content_file_copy(const struct find_file *file, struct simhash_error *error);

/*
 * Make contents of files, behind those that are there, in their order: every file of a key comes at
 * once. Takes the files over, and does so too when it fails. Of names of one file it keeps the
 * first.
 */
int contents_add(struct contents *contents, struct content_file **files, size_t count,
		 struct simhash_error *error);

/* Take the file after `before` out of a content. */
void content_drop_next(const struct contents *contents, struct unique_content *content,
		       struct content_file *before);

/* Below 0, 0 or above: the order of contents. */
int contents_compare(const struct unique_content *x, const struct unique_content *y);

/* The content is similar to a representative before it. May be said more than once. */
void content_meets(struct unique_content *content, struct unique_content *representative,
		   const struct relation *relation);

/* Of a representative that is alone: it is similar to another content before it. */
void content_notices(struct unique_content *content, struct unique_content *other,
		     const struct relation *relation);

static inline bool content_belongs(const struct unique_content *content)
{
	return content->center != NULL;
}

/* No more is to be said of it. */
void content_decide(struct unique_content *content);

static inline bool is_representative(const struct unique_content *content)
{
	return content->center == content;
}

/*
 * By single linkage: the first of all contents that are connected with this one, and connecting two
 * of them. A content that is connected with nothing is its own.
 */
struct unique_content *content_root(struct unique_content *content);
void content_connect(struct unique_content *x, struct unique_content *y);

/*
 * Every content to come has a larger key uniform than `key`, and of those that are alone none is to be
 * compared with one below `since`; with INT64_MAX for both, no content is to come. Move the groups that
 * nothing can join or leave any more to `finished`, behind what is there, with the contents that are
 * alone and that contents_mend may bring to them. Drop the contents that are in no group and never
 * will be, and of the others what is needed no longer for comparing them. Where it fails, all contents
 * stay in one of the two.
 */
int contents_take_finished(struct contents *contents, int64_t key, int64_t since,
			   struct contents *finished, struct simhash_error *error);

/*
 * Give each representative that is alone the content that is most alike to it, of all that are
 * similar to it: in order, h being this content,
 *
 *   - it joins h where h has become a representative;
 *   - h leaves its group for it where at least two files stay there;
 *   - else h becomes the representative of both.
 */
void contents_mend(struct contents *contents);

/* Is this a group, if it is a representative? Others belong to it, or it has copies. */
static inline bool content_is_group(const struct unique_content *content)
{
	return content->members > 0 || content->is_pair;
}

/* What the first files of two contents are to each other, be they a pair or not. */
struct relation relation_estimated(const struct unique_content *content,
				   const struct unique_content *other);

#endif

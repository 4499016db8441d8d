/*
 * Groups files by content, and contents by similarity.
 *
 * A content consists of identical files with the same tolerance and, if the rule requires it, the
 * same extension. Two contents are similar if a file of one and a file of the other are a pair.
 * Contents are sorted by the key uniform, then by size, content hash and first path. They are
 * decided in this order:
 *
 *     file = content_file_copy(&row, &error);    // for each file, in the order of uniform
 *     contents_add(&contents, files, count, &error);
 *
 *     content_meets(content, representative, &relation);     // for all similar ones before it
 *     content_decide(content);
 *     ... and after the last content
 *     content_notices(alone, other, &relation);      // for all similar ones before it
 *     contents_mend(&contents);
 *
 * A content becomes a representative if it is similar to no earlier representative. Every other
 * content belongs to the earlier representative that it is most alike to. So a content is only
 * compared with representatives, and a family of n files needs n comparisons instead of n * (n - 1)
 * / 2.
 *
 * A representative without members may still be similar to a content that belongs to another
 * representative. contents_mend brings these together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_CONTENTS_H
#define SIMHASH_FIND_CONTENTS_H

#include "find/rule/find.h"
#include "find/rule/sketch_keys.h"

enum linkage { LINK_REPRESENTATIVE, LINK_SINGLE };

#define NEIGHBOUR_DIMENSIONS 3

/* The values by which neighbours.h finds a file. */
struct neighbour_place {
	int64_t sums[NEIGHBOUR_DIMENSIONS];
	unsigned power;
	bool has_keys;
	uint32_t key_hashes[SKETCH_KEYS];
};

struct content_file {
	/* The next file of the content; files outside others first, then by path. */
	struct content_file *next;
	struct unique_content *content;
	const struct find_file *file;
	/* See neighbours_locate; NULL if it is not needed any more. */
	struct neighbour_place *place;
	bool is_compared; /* false: an earlier file makes the same pairs */
};

struct unique_content {
	struct content_file *files;
	size_t file_count;
	struct unique_content
		*center; /* the representative, which may be this content; NULL: not decided */
	struct unique_content
		*nearest; /* for a representative: the most alike content that belongs to another */
	/*
	 * The relation with the center or, for a representative, with the nearest content. It is
	 * the relation of the two files that are most alike.
	 */
	struct relation relation;
	size_t members;	      /* the number of other contents that belong to it */
	bool is_pair;	      /* two of its files are a pair */
	bool is_settled;      /* if it is alone: all contents similar to it were noticed */
	bool is_open;	      /* see contents_take_finished */
	size_t number;	      /* its position in the order, if set */
	size_t noticed;	      /* if it is alone: the contents with smaller numbers were noticed */
	int64_t end_of_reach; /* the largest key uniform of any content similar to this one */
};

struct contents {
	struct unique_content **items; /* sorted */
	size_t count, capacity;
	bool hard_links;   /* several names of one file count as several files */
	bool crosses;	   /* only files of different sides are a pair: --between */
	bool by_extension; /* files with different extensions are not a pair */
};

void contents_init(struct contents *contents, const struct find_request *request);

void contents_release(struct contents *contents);

/*
 * A content file with `file` itself, or with a copy of it and its path. The file itself must stay
 * valid. NULL with the error set.
 */
struct content_file *content_file_new(const struct find_file *file, struct simhash_error *error);
struct content_file *content_file_copy(const struct find_file *file, struct simhash_error *error);

/*
 * Make contents from files, and append them in order. All files with the same key must come in one
 * call. Takes the files over, also after an error. Keeps only the first name of each file.
 */
int contents_add(struct contents *contents, struct content_file **files, size_t count,
		 struct simhash_error *error);

/* Remove the file after `before` from a content. */
void content_drop_next(const struct contents *contents, struct unique_content *content,
		       struct content_file *before);

/* Compares contents by their order: negative, 0 or positive. */
int contents_compare(const struct unique_content *x, const struct unique_content *y);

/*
 * Record that the content is similar to an earlier representative. May be called more than once for
 * the same two contents.
 */
void content_meets(struct unique_content *content, struct unique_content *representative,
		   const struct relation *relation);

/* Record that a representative that is alone is similar to another content before it. */
void content_notices(struct unique_content *content, struct unique_content *other,
		     const struct relation *relation);

static inline bool content_belongs(const struct unique_content *content)
{
	return content->center != NULL;
}

/* End the comparison of this content. */
void content_decide(struct unique_content *content);

static inline bool is_representative(const struct unique_content *content)
{
	return content->center == content;
}

/*
 * For single linkage: content_root returns the first of all contents that are connected with this
 * one, and content_connect connects two contents. The root of a content without connections is the
 * content itself.
 */
struct unique_content *content_root(struct unique_content *content);
void content_connect(struct unique_content *x, struct unique_content *y);

/*
 * Every later content has a larger key uniform than `key`, and contents that are alone will not be
 * compared with a content whose key is below `since`. INT64_MAX for both means that no more
 * contents follow. Append to `finished` the groups that cannot change any more, with the contents
 * that are alone and that contents_mend may add to them. Free the contents that are in no group and
 * cannot join one, and all data that is needed only to compare the finished contents. After an
 * error, each content is still in one of the two lists.
 */
int contents_take_finished(struct contents *contents, int64_t key, int64_t since,
			   struct contents *finished, struct simhash_error *error);

/*
 * Put each representative that is alone into a group with h, the content that is most alike to it.
 * In the order of the representatives:
 *
 *   - if h has become a representative, the representative joins h;
 *   - if at least two files stay in the group of h, h leaves it and joins the representative;
 *   - otherwise, h becomes the representative of its old representative and of this one.
 */
void contents_mend(struct contents *contents);

/*
 * Is this representative the head of a group? It is if other contents belong to it or if it has
 * copies.
 */
static inline bool content_is_group(const struct unique_content *content)
{
	return content->members > 0 || content->is_pair;
}

/* The relation between the first files of two contents, also if they are not a pair. */
struct relation relation_estimated(const struct unique_content *content,
				   const struct unique_content *other);

#endif

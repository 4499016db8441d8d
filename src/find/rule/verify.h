/*
 * Verifies a candidate: decides by resemblance sketches whether two files with similar counts have
 * content in common. It reads no file.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_VERIFY_H
#define SIMHASH_FIND_VERIFY_H

#include "find/rule/file.h"

enum verify_mode {
	VERIFY_NO,     /* the pairs of the paper, by counts alone */
	VERIFY_SKETCH, /* the sketches decide */
	VERIFY_READ,   /* the sketches decide or, if they cannot, reading does */
	VERIFY_ALL     /* every pair is read */
};

struct verify_rule {
	enum verify_mode mode;
	bool same_extension; /* for similar files; identical files may have any extensions */
	/*
	 * The minimum resemblance; negative: it depends on the distance, since a few changed bytes
	 * in many places destroy many shingles but change few counts. If it is 1 or more, sketches
	 * must be equal.
	 */
	double min_resemblance;
	/*
	 * Are files also pairs if their sketches share a key and agree, no matter how near their
	 * counts are?
	 */
	bool by_keys;
	int64_t size_ratio_millionths; /* the maximum ratio of sizes for such pairs */
	struct common_content *common; /* owned; NULL: no content is common */
};

#define GRADED (-1.0)
#define VERIFY_SIZE_RATIO (INT64_C(2100000)) /* the default: half of a file, and some bytes less */

static inline bool verify_is_graded(const struct verify_rule *rule)
{
	return rule->mode == VERIFY_SKETCH && rule->min_resemblance < 0;
}

/*
 * Must the sketches share a key if the counts of two files differ by more than SWEPT_PERCENT? With
 * a graded minimum this is part of the rule. Equal sketches always share a key.
 */
#define SWEPT_PERCENT 2
static inline bool verify_sweeps_less(const struct verify_rule *rule)
{
	return verify_is_graded(rule) ||
	       (rule->mode == VERIFY_SKETCH && rule->min_resemblance >= 1);
}

/* Can the sketches propose pairs? */
static inline bool verify_proposes(const struct verify_rule *rule)
{
	return rule->by_keys && rule->mode != VERIFY_NO;
}

/* Are some pairs found by the keys of their sketches? */
static inline bool verify_is_keyed(const struct verify_rule *rule)
{
	return verify_sweeps_less(rule) || verify_proposes(rule);
}

/*
 * Set is_wide and uniform, from the key uniform of the index. A text in UTF-16 with at least half of
 * its characters in ASCII is wide: it has twice as many bytes as in UTF-8, and every other one is
 * zero, so its size and counts say nothing about a copy in UTF-8. Its uniform becomes the number of
 * counted tags without the two that occur most often. One is the zero byte, and the other usually
 * has zero bits of such a byte. So the result is near the uniform of the same text in UTF-8. From
 * the result for another wide text it differs by no more than the distance, because it is the least
 * sum of 14 counts. Unless the sketches decide, no file is wide.
 */
void verify_set_wide(const struct verify_rule *rule, struct find_file *file);

/* Can the file be wide? Only its counts show it. */
bool verify_may_be_wide(const struct verify_rule *rule, const struct find_file *file);

/*
 * Is this a small file that is only paired with files that share a key with it? Identical files and
 * files without a sketch are exceptions. There can be many small files of the same form, and their
 * counts are all near each other.
 */
bool verify_is_by_keys(const struct verify_rule *rule, const struct find_file *file);

#define READ_MIN_RESEMBLANCE 0.8 /* the default if files are read */

/* The tolerance in percent for candidates that are verified. */
#define VERIFIED_TOLERANCE_PERCENT 5

/*
 * Is this candidate, which is not identical, a pair? The distance in the relation is set; this sets
 * the verification and the resemblance, unless the relation has them. If a file has no sketch, the two files are a pair if they
 * have the same extension and their distance is within `unverified`, the tolerance for counts
 * alone.
 */
bool verify_by_sketches(const struct verify_rule *rule, const struct simhash_tolerance *unverified,
			const struct find_file *x, const struct find_file *y,
			struct relation *relation);

/*
 * Is it certain, at little cost, that a search by shared keys need not find these files? Most files
 * that share a key have too little in common. Sets the verification and the resemblance.
 */
bool verify_excludes(const struct verify_rule *rule, const struct find_file *x,
		     const struct find_file *y, struct relation *relation);

/*
 * Do the sketches propose these files, which are not identical, as a pair? They do if the files
 * share enough, or if one is a part of the other, and their sizes and numbers of counted tags are
 * within a ratio. If `needs_key`, the sketches must share a key. If the relation has an estimate, it
 * is used. Sets the distance, the verification, the resemblance and, for a part, the contained
 * shares.
 */
bool verify_by_keys(const struct verify_rule *rule, bool needs_key, const struct find_file *x,
		    const struct find_file *y, struct relation *relation);

/*
 * The largest distance of the key uniform of a file to a larger uniform of a file that the sketches
 * propose.
 */
int64_t verify_reach_by_keys(const struct verify_rule *rule, int64_t uniform);

/* The least and the largest uniform and size that such a partner of a file can have. */
struct key_bounds {
	int64_t uniform[2], sizes[2];
};
struct key_bounds verify_bounds_by_keys(const struct verify_rule *rule,
					const struct find_file *file);

static inline bool key_bounds_have(const struct key_bounds *bounds, const struct find_file *file)
{
	return (bounds->uniform[0] <= file->uniform) & (file->uniform <= bounds->uniform[1]) &
	       (bounds->sizes[0] <= file->size_bytes) & (file->size_bytes <= bounds->sizes[1]);
}

/* Extend the bounds so that they include others. */
void key_bounds_extend(struct key_bounds *bounds, const struct key_bounds *others);

/*
 * Is the smaller of two files in the larger one, if their pieces have these shares of x in y and of
 * y in x? Only an explicit ratio limits their sizes. Sets the relation. Files of similar size are no parts: their
 * resemblance must reach the minimum. With a minimum of 1, no file is a part.
 */
bool verify_by_pieces(const struct verify_rule *rule, const struct find_file *x,
		      const struct find_file *y, double x_in_y, double y_in_x,
		      struct relation *relation);

/*
 * Of fewer than PIECES_FEW pieces, all must be shared, and fewer than PIECES_FEWEST are a matter of
 * chance. So half of a file passes with a probability of 6 % at most, and usually far less.
 */
#define PIECES_FEWEST 5
#define PIECES_FEW 8

/* The shared part of these pieces, or 0 if too few are shared for this minimum. */
static inline double pieces_share(double min_share, size_t shared, size_t pieces)
{
	return pieces < PIECES_FEWEST || (pieces < PIECES_FEW && shared < pieces) ||
			       (double)shared < min_share * (double)pieces
		       ? 0
		       : (double)shared / (double)pieces;
}

/* The share of a file that must be in another file, so that it is called a part of it. */
double verify_part_min_share(const struct verify_rule *rule);

/* Do the sizes differ so much that one file can be called a part of the other? */
bool sizes_differ_clearly(int64_t x_bytes, int64_t y_bytes);

/*
 * Set the verification and the resemblance of a pair if both files have sketches that allow an
 * estimate.
 */
void estimate_resemblance(const struct find_file *x, const struct find_file *y,
			  struct relation *relation);

/*
 * Is a resemblance estimated from sketches so far above the minimum that reading is not necessary?
 */
bool sketch_settles(double resemblance, double min_resemblance);

#endif

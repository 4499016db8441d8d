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
};

#define GRADED (-1.0)

static inline bool verify_is_graded(const struct verify_rule *rule)
{
	return rule->mode == VERIFY_SKETCH && rule->min_resemblance < 0;
}

/*
 * Must the sketches of pairs that are further apart share a key? With a graded minimum this is part
 * of the rule. Equal sketches always share a key.
 */
#define SWEPT_PERCENT 2
static inline bool verify_is_keyed(const struct verify_rule *rule)
{
	return verify_is_graded(rule) ||
	       (rule->mode == VERIFY_SKETCH && rule->min_resemblance >= 1);
}

/*
 * Is this a small file that is only paired with files that share a key with it? Identical files and
 * files without a sketch are exceptions. There can be many small files of the same form, and their
 * counts are all near each other.
 */
bool verify_is_by_keys(const struct verify_rule *rule, const struct find_file *file);

bool verify_is_swept(const struct find_file *x, const struct find_file *y, uint64_t distance);

#define READ_MIN_RESEMBLANCE 0.8 /* the default if files are read */

/* The tolerance in percent for candidates that are verified. */
#define VERIFIED_TOLERANCE_PERCENT 5

/*
 * Is this candidate, which is not identical, a pair? The distance in the relation is set; this sets
 * the verification and the resemblance. If a file has no sketch, the two files are a pair if they
 * have the same extension and their distance is within `unverified`, the tolerance for counts
 * alone.
 */
bool verify_by_sketches(const struct verify_rule *rule, const struct simhash_tolerance *unverified,
			const struct find_file *x, const struct find_file *y,
			struct relation *relation);

/* Do the sizes differ so much that one file can be called a part of the other? */
bool sizes_differ_clearly(const struct find_file *x, const struct find_file *y);

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

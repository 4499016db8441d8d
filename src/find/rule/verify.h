/*
 * Verifies a candidate: whether two files with similar counts have content in common. The
 * resemblance sketches of both decide, and no file is read.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_VERIFY_H
#define SIMHASH_FIND_VERIFY_H

#include "find/rule/file.h"

enum verify_mode {
	VERIFY_NO,     /* the paper's pairs: the counts alone */
	VERIFY_SKETCH, /* by the sketches */
	VERIFY_READ,   /* by the sketches, and by reading what they leave open */
	VERIFY_ALL     /* by reading every pair */
};

struct verify_rule {
	enum verify_mode mode;
	bool same_extension; /* of similar files; identical ones may have any */
	/*
	 * The minimum of the resemblance; negative: graded by the distance, since a few bytes
	 * changed here and there spoil many shingles but move few counts. With 1 and above, sketches
	 * have to be equal.
	 */
	double min_resemblance;
};

#define GRADED (-1.0)

static inline bool verify_is_graded(const struct verify_rule *rule)
{
	return rule->mode == VERIFY_SKETCH && rule->min_resemblance < 0;
}

/*
 * Have the sketches of pairs that are further apart to share a key? Where it is graded this is a part
 * of the rule, and equal ones do.
 */
#define SWEPT_PERCENT 2
static inline bool verify_is_keyed(const struct verify_rule *rule)
{
	return verify_is_graded(rule) ||
	       (rule->mode == VERIFY_SKETCH && rule->min_resemblance >= 1);
}

/*
 * Is this a small file whose pairs share a key with it, except for identical ones and those without
 * a sketch? Small files of one form can be many, and their counts are all near each other.
 */
bool verify_is_by_keys(const struct verify_rule *rule, const struct find_file *file);

bool verify_is_swept(const struct find_file *x, const struct find_file *y, uint64_t distance);

#define READ_MIN_RESEMBLANCE 0.8 /* by default where files are read */

/* The tolerance within which candidates are looked for where they are verified, in percent. */
#define VERIFIED_TOLERANCE_PERCENT 5

/*
 * Is this candidate, which is not identical, a pair? Sets the verification and resemblance of
 * the relation, whose distance is set. Where a file has no sketch, a pair within `unverified`, the tolerance
 * that holds for counts alone, is one if both have the same extension.
 */
bool verify_by_sketches(const struct verify_rule *rule, const struct simhash_tolerance *unverified,
			const struct find_file *x, const struct find_file *y,
			struct relation *relation);

/* Are the sizes of two files so far apart that one can be called a part of the other? */
bool sizes_differ_clearly(const struct find_file *x, const struct find_file *y);

/* Set the verification and the resemblance of a pair where the sketches of both files tell. */
void estimate_resemblance(const struct find_file *x, const struct find_file *y,
			  struct relation *relation);

/* Is a resemblance estimated by sketches so far above the minimum that reading is not needed? */
bool sketch_settles(double resemblance, double min_resemblance);

#endif

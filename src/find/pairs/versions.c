/*
 * Decides by sketches alone whether two files are a pair.
 * SPDX-License-Identifier: MIT
 */
#include "find/pairs/versions.h"

#define VERSION_MIN_RESEMBLANCE 0.7
#define PART_MIN_SHARE 0.85	 /* the share of the smaller file that is in the larger one */
#define PART_MIN_RESEMBLANCE 0.2 /* below this, the share is noise */

/* Is the smaller file in the larger one? This requires clearly different sizes. */
static bool is_part(const struct find_file *x, const struct find_file *y, struct relation *relation)
{
	bool x_is_smaller = x->size_bytes < y->size_bytes;
	double share, of_larger;

	if (relation->resemblance < PART_MIN_RESEMBLANCE || !sizes_differ_clearly(x, y) ||
	    !simhash_containment_estimate(&x->sketch, x->size_bytes, &y->sketch, y->size_bytes,
					  &share) ||
	    share < PART_MIN_SHARE)
		return false;
	of_larger = x_is_smaller ? share * (double)x->size_bytes / (double)y->size_bytes
				 : share * (double)y->size_bytes / (double)x->size_bytes;
	relation->is_part = true;
	relation->contained_a = x_is_smaller ? share : of_larger;
	relation->contained_b = x_is_smaller ? of_larger : share;
	return true;
}

bool versions_match(const struct find_request *request, const struct find_file *x,
		    const struct find_file *y, struct relation *relation)
{
	const struct simhash_tolerance ratio = {.size_ratio_millionths =
							request->versions_ratio_millionths};
	const struct verify_rule *verify = &request->rule.verify;
	/* With reading, the minimum applies to the files as read, so it is not used here. */
	double minimum = verify->mode == VERIFY_SKETCH && verify->min_resemblance >= 0
				 ? verify->min_resemblance
				 : VERSION_MIN_RESEMBLANCE;

	if (!x->has_sketch || !y->has_sketch || x->size_bytes == 0 || y->size_bytes == 0 ||
	    !simhash_sizes_agree(&ratio, x->size_bytes, y->size_bytes) ||
	    (request->rule.verify.same_extension && x->extension_hash != y->extension_hash))
		return false;
	relation->verification = PAIR_UNVERIFIED;
	estimate_resemblance(x, y, relation);
	if (relation->verification != PAIR_SKETCH || are_identical(x, y))
		return false;
	if (relation->resemblance < minimum && !is_part(x, y, relation))
		return false;
	if (rule_matches(&request->rule, x, y, &(struct relation){.distance = 0}))
		return false;
	relation->distance = simhash_distance(&x->table, &y->table);
	return true;
}

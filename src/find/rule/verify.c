/*
 * Decides by sketches whether a candidate is a pair. docs/lab/quality.md measures the results.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/verify.h"

#include <string.h>

#include "core/resemblance.h"
#include "find/rule/sketch_keys.h"

/* The minimum resemblance for a pair whose distance is within a tolerance. */
static const struct grade {
	int64_t percent;
	double min_resemblance;
} grades[] = {{1, 0.3}, {SWEPT_PERCENT, 0.5}, {100, 0.75}};

/* For small files a distance of 1 is always within the tolerance, so the distance says little. */
#define SMALL_SIZE 1024
#define SMALL_MIN_RESEMBLANCE 0.6

static bool is_graded_pair(const struct find_file *x, const struct find_file *y,
			   const struct relation *relation)
{
	bool is_small = x->size_bytes < SMALL_SIZE || y->size_bytes < SMALL_SIZE;
	const struct grade *grade = grades;
	struct simhash_tolerance tolerance;

	for (;; grade++) {
		tolerance.percent_millionths = grade->percent * SIMHASH_MILLION;
		if (grade->percent == 100 || simhash_sum_table_hit(&tolerance, relation->distance,
								   x->size_bytes, y->size_bytes))
			break;
	}
	if (relation->resemblance < grade->min_resemblance ||
	    (is_small && relation->resemblance < SMALL_MIN_RESEMBLANCE))
		return false;
	return (!is_small && grade->percent <= SWEPT_PERCENT) ||
	       sketches_share_key(&x->sketch, &y->sketch);
}

/*
 * Reading finds common bytes between single changed bytes, but each changed byte destroys several
 * shingles. So a sketch can show that files resemble each other, or that they have almost nothing
 * in common.
 */
#define UNRELATED_BELOW 0.25

bool sketch_settles(double resemblance, double min_resemblance)
{
	/* More than a standard deviation; see docs/algorithm.md. Reading rarely finds less. */
	double error = resemblance >= 0.97 ? 0.01 : resemblance >= 0.85 ? 0.06 : 0.1;

	return resemblance - error >= min_resemblance;
}

bool sizes_differ_clearly(const struct find_file *x, const struct find_file *y)
{
	static const struct simhash_tolerance alike = {.size_ratio_millionths = 1100000};

	return !simhash_sizes_agree(&alike, x->size_bytes, y->size_bytes);
}

void estimate_resemblance(const struct find_file *x, const struct find_file *y,
			  struct relation *relation)
{
	if (x->has_sketch && y->has_sketch &&
	    simhash_resemblance_estimate(&x->sketch, x->size_bytes, &y->sketch, y->size_bytes,
					 &relation->resemblance))
		relation->verification = PAIR_SKETCH;
}

/*
 * For sketches with few registers, for example of files that are mostly zeros. Such files are a
 * pair if their few shingles are the same and their counts agree within 1 %. A sketch without
 * registers is no evidence: blanks, bytes of 0xff and files that are too short for a shingle have
 * such a sketch.
 */
static bool verify_by_counts(const struct verify_rule *rule, const struct find_file *x,
			     const struct find_file *y, struct relation *relation)
{
	static const struct simhash_tolerance tolerance = SIMHASH_TOLERANCE_DEFAULT;

	relation->verification = PAIR_COUNTS;
	if (rule->mode == VERIFY_READ)
		return true;
	return sketch_has_shingles(x) && memcmp(&x->sketch, &y->sketch, sizeof x->sketch) == 0 &&
	       simhash_sum_table_hit(&tolerance, relation->distance, x->size_bytes, y->size_bytes);
}

bool verify_is_by_keys(const struct verify_rule *rule, const struct find_file *file)
{
	return verify_is_keyed(rule) && file->has_sketch && file->size_bytes < SMALL_SIZE &&
	       (file->size_bytes < SHINGLE_SIZE || sketch_has_shingles(file));
}

bool verify_is_swept(const struct find_file *x, const struct find_file *y, uint64_t distance)
{
	static const struct simhash_tolerance swept = {.percent_millionths =
							       SWEPT_PERCENT * SIMHASH_MILLION};

	return simhash_sum_table_hit(&swept, distance, x->size_bytes, y->size_bytes);
}

/* A pair with only one sketch is accepted only within the tolerance that the search uses. */
static bool is_looked_for(const struct verify_rule *rule, const struct find_file *x,
			  const struct find_file *y, uint64_t distance)
{
	return !verify_is_keyed(rule) || x->has_sketch == y->has_sketch ||
	       verify_is_swept(x, y, distance);
}

bool verify_by_sketches(const struct verify_rule *rule, const struct simhash_tolerance *unverified,
			const struct find_file *x, const struct find_file *y,
			struct relation *relation)
{
	relation->verification = PAIR_UNVERIFIED;
	if (rule->mode == VERIFY_ALL)
		return true;
	if (!x->has_sketch || !y->has_sketch)
		return x->extension_hash == y->extension_hash &&
		       is_looked_for(rule, x, y, relation->distance) &&
		       simhash_sum_table_hit(unverified, relation->distance, x->size_bytes,
					     y->size_bytes);
	estimate_resemblance(x, y, relation);
	if (relation->verification != PAIR_SKETCH)
		return verify_by_counts(rule, x, y, relation);
	if (rule->mode == VERIFY_READ)
		return relation->resemblance >= UNRELATED_BELOW;
	if (rule->min_resemblance >= 1) /* if levels differ, an estimate of 1 may be wrong */
		return memcmp(&x->sketch, &y->sketch, sizeof x->sketch) == 0;
	return rule->min_resemblance >= 0 ? relation->resemblance >= rule->min_resemblance
					  : is_graded_pair(x, y, relation);
}

/*
 * Decides by sketches whether a candidate is a pair. docs/lab/quality.md measures the results.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/verify.h"

#include <string.h>

#include "core/resemblance.h"
#include "find/rule/common_content.h"
#include "find/rule/sketch_keys.h"

__extension__ typedef unsigned __int128 wide;

/* Pairs below it are dropped if they have only common content together. */
#define SURE_RESEMBLANCE 0.75
/* The minimum for pairs that the sketches propose. */
#define PROPOSED_RESEMBLANCE 0.65
#define SMALL_PROPOSED_RESEMBLANCE 0.8

/* The minimum for pairs whose distance is beyond SWEPT_PERCENT. */
#define UNSWEPT_RESEMBLANCE 0.6

/* The minimum resemblance for a pair whose distance is within a tolerance. */
static const struct grade {
	int64_t percent;
	double min_resemblance;
} grades[] = {{1, 0.3}, {SWEPT_PERCENT, 0.4}, {100, UNSWEPT_RESEMBLANCE}};

/* If the counts of both files are as expected for random bytes, equal counts are no evidence. */
#define RANDOM_MIN_RESEMBLANCE 0.5

/* For small files a distance of 1 is always within the tolerance, so the distance says little. */
#define SMALL_SIZE 1024
#define SMALL_MIN_RESEMBLANCE 0.5

static bool is_small(const struct find_file *x, const struct find_file *y)
{
	return x->size_bytes < SMALL_SIZE || y->size_bytes < SMALL_SIZE;
}

static bool is_graded_pair(const struct verify_rule *rule, const struct find_file *x,
			   const struct find_file *y, const struct relation *relation)
{
	const struct grade *grade = grades;
	struct simhash_tolerance tolerance;

	for (;; grade++) {
		tolerance.percent_millionths = grade->percent * SIMHASH_MILLION;
		if (grade->percent == 100 || simhash_sum_table_hit(&tolerance, relation->distance,
								   x->size_bytes, y->size_bytes))
			break;
	}
	if (relation->resemblance < grade->min_resemblance ||
	    (x->has_random_counts && y->has_random_counts &&
	     relation->resemblance < RANDOM_MIN_RESEMBLANCE) ||
	    (is_small(x, y) && relation->resemblance < SMALL_MIN_RESEMBLANCE))
		return false;
	if ((is_small(x, y) || grade->percent > SWEPT_PERCENT) && !relation->shares_key &&
	    !sketches_share_key(&x->sketch, &y->sketch))
		return false;
	return relation->resemblance >= SURE_RESEMBLANCE ||
	       !is_common_content(rule->common, &x->sketch, &y->sketch);
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

bool sizes_differ_clearly(int64_t x_bytes, int64_t y_bytes)
{
	static const struct simhash_tolerance alike = {.size_ratio_millionths = 1100000};

	return !simhash_sizes_agree(&alike, x_bytes, y_bytes);
}

void estimate_resemblance(const struct find_file *x, const struct find_file *y,
			  struct relation *relation)
{
	if (x->has_sketch && y->has_sketch &&
	    simhash_resemblance_estimate(&x->sketch, x->size_bytes, &y->sketch, y->size_bytes,
					 &relation->resemblance))
		relation->verification = simhash_resemblance_same_text(&x->sketch, &y->sketch)
						 ? PAIR_TEXT
						 : PAIR_SKETCH;
}

static bool have_same_registers(const struct find_file *x, const struct find_file *y)
{
	return memcmp(x->sketch.registers, y->sketch.registers, sizeof x->sketch.registers) == 0;
}

/*
 * Do the sketches of two files with few registers mostly agree? One equal register can be a header
 * that many files have, or chance.
 */
#define FEW_EQUAL_MIN 3
#define FEW_MIN_SHARE 0.6

static bool agree_mostly(const struct verify_rule *rule, const struct find_file *x,
			 const struct find_file *y)
{
	double minimum = rule->min_resemblance > FEW_MIN_SHARE ? rule->min_resemblance
							       : FEW_MIN_SHARE;
	unsigned used = 0, equal = 0;

	for (size_t i = 0; i < SIMHASH_RESEMBLANCE_REGISTERS; i++) {
		uint8_t a = x->sketch.registers[i], b = y->sketch.registers[i];
		used += a != 0 || b != 0;
		equal += a != 0 && a == b;
	}
	return equal >= FEW_EQUAL_MIN && equal >= minimum * used;
}

/*
 * If most of a file is one tag, such as zeros, its counts say little. So the other counts must also
 * agree: within a fiftieth of the other bytes.
 */
static bool rests_agree(const struct find_file *x, const struct find_file *y)
{
	const uint64_t *a = x->table.count, *b = y->table.count;
	uint64_t distance = 0;
	size_t most = 0;

	for (size_t i = 1; i < SIMHASH_TAGS; i++)
		most = a[i] > a[most] ? i : most;
	for (size_t i = 0; i < SIMHASH_TAGS; i++)
		if (i != most)
			distance += a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
	return distance <= 4 + ((uint64_t)x->size_bytes - a[most]) / 50;
}

/*
 * For sketches with few registers, for example of files that are mostly zeros. Such files are a
 * pair if their few shingles are the same, or most of several, and their counts agree within 1 %. A
 * sketch without registers is no evidence: blanks, bytes of 0xff and files that are too short for a
 * shingle have such a sketch.
 */
static bool verify_by_counts(const struct verify_rule *rule, const struct find_file *x,
			     const struct find_file *y, struct relation *relation)
{
	static const struct simhash_tolerance tolerance = SIMHASH_TOLERANCE_DEFAULT;

	relation->verification = PAIR_COUNTS;
	if (rule->mode == VERIFY_READ)
		return true;
	return sketch_has_shingles(x) && (have_same_registers(x, y) || agree_mostly(rule, x, y)) &&
	       rests_agree(x, y) && rests_agree(y, x) &&
	       simhash_sum_table_hit(&tolerance, relation->distance, x->size_bytes, y->size_bytes);
}

bool verify_is_by_keys(const struct verify_rule *rule, const struct find_file *file)
{
	return verify_sweeps_less(rule) && file->has_sketch && file->size_bytes < SMALL_SIZE &&
	       (file->size_bytes < SHINGLE_SIZE || sketch_has_shingles(file));
}

/* A pair with only one sketch is accepted only within the tolerance that the search uses. */
static bool is_looked_for(const struct verify_rule *rule, const struct find_file *x,
			  const struct find_file *y, uint64_t distance)
{
	static const struct simhash_tolerance swept = {.percent_millionths =
							       SWEPT_PERCENT * SIMHASH_MILLION};

	return !verify_sweeps_less(rule) || x->has_sketch == y->has_sketch ||
	       simhash_sum_table_hit(&swept, distance, x->size_bytes, y->size_bytes);
}

/* ---- Parts ---- */

#define PART_MIN_BYTES 2048 /* shorter files share headers */
/* The share of the smaller file that is in the larger one; more if they resemble each other. */
#define PART_MIN_SHARE 0.8
#define PART_LIKE_SHARE 0.85
#define PART_SURE_SHARE 0.95
#define PART_MIN_RESEMBLANCE 0.2 /* below this, the share is noise */

static bool is_smaller(const struct find_file *x, const struct find_file *y)
{
	return resemblance_size(&x->sketch, x->size_bytes) <
	       resemblance_size(&y->sketch, y->size_bytes);
}

/* The smaller of two files is in the larger one. */
static void set_part(const struct find_file *x, const struct find_file *y, double share,
		     struct relation *relation)
{
	double x_bytes = (double)resemblance_size(&x->sketch, x->size_bytes);
	double y_bytes = (double)resemblance_size(&y->sketch, y->size_bytes);
	bool x_is_smaller = is_smaller(x, y);
	double of_larger = x_is_smaller ? share * x_bytes / y_bytes : share * y_bytes / x_bytes;

	relation->is_part = true;
	relation->contained_a = x_is_smaller ? share : of_larger;
	relation->contained_b = x_is_smaller ? of_larger : share;
}

/* Is the smaller file in the larger one? This requires clearly different sizes. */
static bool is_part(const struct find_file *x, const struct find_file *y, double min_share,
		    struct relation *relation)
{
	int64_t x_bytes = resemblance_size(&x->sketch, x->size_bytes);
	int64_t y_bytes = resemblance_size(&y->sketch, y->size_bytes);
	double share = resemblance_containment(relation->resemblance, x_bytes, y_bytes);

	if (share < min_share || relation->resemblance < PART_MIN_RESEMBLANCE ||
	    !sizes_differ_clearly(x_bytes, y_bytes) ||
	    (x_bytes < y_bytes ? x : y)->size_bytes < PART_MIN_BYTES)
		return false;
	set_part(x, y, share, relation);
	return true;
}

bool verify_by_pieces(const struct verify_rule *rule, const struct find_file *x,
		      const struct find_file *y, double x_in_y, double y_in_x,
		      struct relation *relation)
{
	const struct simhash_tolerance ratio = {.size_ratio_millionths =
							rule->size_ratio_millionths};
	double share = is_smaller(x, y) ? x_in_y : y_in_x, a, b;

	if (share < verify_part_min_share(rule) || !x->has_sketch || !y->has_sketch ||
	    (rule->size_ratio_millionths != VERIFY_SIZE_RATIO &&
	     !simhash_sizes_agree(&ratio, x->size_bytes, y->size_bytes)) ||
	    (rule->same_extension && x->extension_hash != y->extension_hash))
		return false;
	*relation = (struct relation){.distance = simhash_distance(&x->table, &y->table),
				      .verification = PAIR_SKETCH};
	set_part(x, y, share, relation);
	a = relation->contained_a;
	b = relation->contained_b;
	relation->resemblance = a * b / (a + b - a * b);
	relation->is_part = sizes_differ_clearly(resemblance_size(&x->sketch, x->size_bytes),
						 resemblance_size(&y->sketch, y->size_bytes));
	/* The counts of a text in UTF-16 are far from the counts of the same text in ASCII. */
	if (simhash_resemblance_same_text(&x->sketch, &y->sketch))
		relation->verification = PAIR_TEXT;
	if (rule->mode != VERIFY_SKETCH) /* reading decides */
		return true;
	return rule->min_resemblance >= 1
		       ? have_same_registers(x, y)
		       : relation->is_part || relation->resemblance >= rule->min_resemblance;
}

double verify_part_min_share(const struct verify_rule *rule)
{
	return rule->min_resemblance > PART_MIN_SHARE ? rule->min_resemblance : PART_MIN_SHARE;
}

/* Is a file that resembles another also a part of it? */
static void name_part(const struct find_file *x, const struct find_file *y,
		      struct relation *relation)
{
	is_part(x, y, relation->resemblance < SURE_RESEMBLANCE ? PART_LIKE_SHARE : PART_SURE_SHARE,
		relation);
}

/* ---- Candidates ---- */

bool verify_by_sketches(const struct verify_rule *rule, const struct simhash_tolerance *unverified,
			const struct find_file *x, const struct find_file *y,
			struct relation *relation)
{
	if (!is_by_sketches(relation))
		relation->verification = PAIR_UNVERIFIED;
	if (rule->mode == VERIFY_ALL)
		return true;
	if (!x->has_sketch || !y->has_sketch)
		return x->extension_hash == y->extension_hash &&
		       is_looked_for(rule, x, y, relation->distance) &&
		       simhash_sum_table_hit(unverified, relation->distance, x->size_bytes,
					     y->size_bytes);
	if (!is_by_sketches(relation)) /* not estimated before */
		estimate_resemblance(x, y, relation);
	if (!is_by_sketches(relation))
		return verify_by_counts(rule, x, y, relation);
	if (rule->mode == VERIFY_READ)
		return relation->resemblance >= UNRELATED_BELOW;
	if (rule->min_resemblance >= 1) /* if levels differ, an estimate of 1 may be wrong */
		return have_same_registers(x, y);
	if (rule->min_resemblance >= 0 ? relation->resemblance < rule->min_resemblance
				       : !is_graded_pair(rule, x, y, relation))
		return false;
	name_part(x, y, relation);
	return true;
}

/* ---- Texts in UTF-16 ---- */

/* The zero bytes of half of the characters, and the largest normal form of such a text. */
#define WIDE_MIN_SHARE 4
#define WIDE_MAX_TEXT(size_bytes) ((size_bytes) / 4 * 3)

/* The counts of the two tags that occur most often, the larger one first. */
static void find_most(const struct find_file *file, uint64_t most[2])
{
	most[0] = most[1] = 0;
	for (size_t i = 0; i < SIMHASH_TAGS; i++) {
		uint64_t count = file->table.count[i];
		if (count > most[0]) {
			most[1] = most[0];
			most[0] = count;
		} else if (count > most[1]) {
			most[1] = count;
		}
	}
}

bool verify_may_be_wide(const struct verify_rule *rule, const struct find_file *file)
{
	return rule->mode == VERIFY_SKETCH && rule->by_keys && file->has_sketch &&
	       resemblance_is_text(&file->sketch) &&
	       resemblance_size(&file->sketch, 0) <= WIDE_MAX_TEXT(file->size_bytes);
}

void verify_set_wide(const struct verify_rule *rule, struct find_file *file)
{
	uint64_t most[2];

	file->is_wide = false;
	if (!verify_may_be_wide(rule, file))
		return;
	find_most(file, most);
	file->is_wide = most[0] >= (uint64_t)file->size_bytes / WIDE_MIN_SHARE &&
			most[0] + most[1] <= (uint64_t)file->uniform; /* it may be cut off */
	if (file->is_wide)
		file->uniform -= (int64_t)(most[0] + most[1]);
}

/* ---- Pairs that the sketches propose ---- */

/* The uniform of the larger file of a pair is at most this one, for the uniform of the smaller. */
static int64_t largest_uniform(const struct verify_rule *rule, int64_t uniform)
{
	/* The halves of a file may have different numbers of tags, hence a quarter more. */
	wide largest =
		(wide)uniform * (wide)rule->size_ratio_millionths * 5 / (4 * SIMHASH_MILLION) + 64;

	return largest > INT64_MAX ? INT64_MAX : (int64_t)largest;
}

int64_t verify_reach_by_keys(const struct verify_rule *rule, int64_t uniform)
{
	return largest_uniform(rule, uniform) - uniform;
}

struct key_bounds verify_bounds_by_keys(const struct verify_rule *rule,
					const struct find_file *file)
{
	const struct simhash_tolerance ratio = {.size_ratio_millionths =
							rule->size_ratio_millionths};
	wide beyond = file->uniform > 64 ? (wide)file->uniform - 64 : 0;
	wide times = (wide)rule->size_ratio_millionths;
	/* The partners of a wide text may be wide or not. */
	int64_t least = file->is_wide ? resemblance_size(&file->sketch, 0) : file->size_bytes;
	int64_t most = file->is_wide ? find_file_tags(file) : file->uniform;

	return (struct key_bounds){
		.uniform = {(int64_t)(beyond * (4 * SIMHASH_MILLION) / (times * 5)),
			    largest_uniform(rule, most)},
		.sizes = {(int64_t)((wide)least * SIMHASH_MILLION / times),
			  simhash_largest_partner(&ratio, file->size_bytes)},
	};
}

static void extend_range(int64_t range[2], const int64_t other[2])
{
	range[0] = other[0] < range[0] ? other[0] : range[0];
	range[1] = other[1] > range[1] ? other[1] : range[1];
}

void key_bounds_extend(struct key_bounds *bounds, const struct key_bounds *others)
{
	extend_range(bounds->uniform, others->uniform);
	extend_range(bounds->sizes, others->sizes);
}

static bool agrees(const struct verify_rule *rule, const struct find_file *x,
		   const struct find_file *y)
{
	const struct simhash_tolerance ratio = {.size_ratio_millionths =
							rule->size_ratio_millionths};
	int64_t smaller = x->uniform < y->uniform ? x->uniform : y->uniform;
	int64_t larger = x->uniform < y->uniform ? y->uniform : x->uniform;
	int64_t x_bytes = x->size_bytes, y_bytes = y->size_bytes;

	if (x->is_wide || y->is_wide) {
		x_bytes = resemblance_size(&x->sketch, x_bytes);
		y_bytes = resemblance_size(&y->sketch, y_bytes);
	}
	return x->has_sketch && y->has_sketch && x_bytes > 0 && y_bytes > 0 &&
	       simhash_sizes_agree(&ratio, x_bytes, y_bytes) &&
	       larger <= largest_uniform(rule, smaller) &&
	       (!rule->same_extension || x->extension_hash == y->extension_hash);
}

bool verify_excludes(const struct verify_rule *rule, const struct find_file *x,
		     const struct find_file *y, struct relation *relation)
{
	if (!verify_is_graded(rule) || !x->has_sketch || !y->has_sketch || is_small(x, y))
		return false;
	estimate_resemblance(x, y, relation);
	if (!is_by_sketches(relation) || relation->resemblance >= UNSWEPT_RESEMBLANCE)
		return false;
	return resemblance_containment(
		       relation->resemblance, resemblance_size(&x->sketch, x->size_bytes),
		       resemblance_size(&y->sketch, y->size_bytes)) < PART_MIN_SHARE;
}

bool verify_by_keys(const struct verify_rule *rule, bool needs_key, const struct find_file *x,
		    const struct find_file *y, struct relation *relation)
{
	/* With reading, the minimum applies to the files as read, so it is not used here. */
	bool has_minimum = rule->mode == VERIFY_SKETCH && rule->min_resemblance >= 0;
	double minimum = has_minimum	  ? rule->min_resemblance
			 : is_small(x, y) ? SMALL_PROPOSED_RESEMBLANCE
					  : PROPOSED_RESEMBLANCE;

	if (!verify_proposes(rule))
		return false;
	if (!is_by_sketches(relation))
		estimate_resemblance(x, y, relation);
	/* Most files have nothing in common. */
	if (!is_by_sketches(relation) ||
	    (relation->resemblance < minimum && relation->resemblance < PART_MIN_RESEMBLANCE) ||
	    !agrees(rule, x, y))
		return false;
	if (has_minimum && minimum >= 1) {
		if (!have_same_registers(x, y))
			return false;
	} else if (relation->resemblance >= minimum) {
		name_part(x, y, relation);
	} else if (!is_part(x, y, verify_part_min_share(rule), relation)) {
		return false;
	}
	if ((needs_key && !sketches_share_key(&x->sketch, &y->sketch)) ||
	    (relation->resemblance < SURE_RESEMBLANCE &&
	     is_common_content(rule->common, &x->sketch, &y->sketch)))
		return false;
	relation->distance = simhash_distance(&x->table, &y->table);
	return true;
}

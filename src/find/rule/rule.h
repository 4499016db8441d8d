/*
 * The rule that makes two files a pair (paper, 4.2), and the largest distance of a file from any
 * partner, which bounds every search.
 *
 *     rule_init(&rule, SIMHASH_SKEW_EXT, &tolerance);
 *     rule_add_tolerance(&rule, "ps=0.05", &error);
 *     file->tolerance = rule_tolerance_of(&rule, name);
 *     file->reach = rule_reach(&rule, file->tolerance, file->has_sketch, size);
 *     rule_matches(&rule, file, other, &relation);
 *     rule_release(&rule);
 *
 * A rule does not change once finding begins, and any number of threads may use it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_RULE_H
#define SIMHASH_FIND_RULE_H

#include <stdbool.h>

#include "find/rule/verify.h"

enum candidates {
	/* All pairs within sizes and sum tables; with a key `_ext`, of equal extension hash. */
	CANDIDATES_EXACT,
	/* The paper's: of these the pairs whose keys are near too, and of any extension. */
	CANDIDATES_KEY,
	/* All pairs within sizes and sum tables, of any extension: to be counted. */
	CANDIDATES_ALL
};

struct extension_tolerance {
	char *extension; /* in lower case, without its dot; owned */
	size_t size;
	int64_t percent_millionths;
};

struct find_rule {
	enum simhash_key key;
	enum candidates candidates;
	struct simhash_tolerance tolerance;
	/* Of files with these extensions; of two tolerances the smaller holds for a pair. */
	struct extension_tolerance *extensions;
	uint32_t extension_count;
	size_t extension_capacity;
	struct verify_rule verify;
	/* The most that is tolerated of a pair that nothing verifies. */
	int64_t unverified_percent_millionths;
};

void rule_init(struct find_rule *rule, enum simhash_key key,
	       const struct simhash_tolerance *tolerance);
void rule_release(struct find_rule *rule);

/* "ps=0.05"; the last one for an extension holds. Errors: SYNTAX, RANGE, MEMORY. */
int rule_add_tolerance(struct find_rule *rule, const char *text, struct simhash_error *error);

/* A file of such lines, with '#' for comments. Errors read "FILE:LINE: ...". */
int rule_read_tolerances(struct find_rule *rule, const char *path, struct simhash_error *error);

/* Which tolerance holds for a file of this name: a number for the functions below. */
uint32_t rule_tolerance_of(const struct find_rule *rule, struct bytes name);

/*
 * The largest distance at which a file of this size, with a resemblance sketch or without, can be
 * a pair with any other.
 */
int64_t rule_reach(const struct find_rule *rule, uint32_t tolerance, bool has_sketch,
		   int64_t size_bytes);

/* The same with a partner that has no more than `largest` bytes. */
int64_t rule_reach_to(const struct find_rule *rule, const struct find_file *file, int64_t largest);

/*
 * The same of pairs that are looked for by their counts. Pairs further apart have sketches that
 * share a key, and are looked for by that: see sketch_keys.h.
 */
int64_t rule_swept_reach(const struct find_rule *rule, uint32_t tolerance, bool has_sketch,
			 int64_t size_bytes);

/*
 * That of the reach by counts; 0 where only identical files are found by them, as small ones are
 * where all files have sketches.
 */
unsigned rule_power(const struct find_rule *rule, const struct find_file *file, bool all_sketched);

/* No file's reach is larger than (size / *down + 1) * *up + 2. */
void rule_slope(const struct find_rule *rule, int64_t *up, int64_t *down);

/* Is only a file of equal extension hash a candidate? */
bool rule_is_by_extension(const struct find_rule *rule);

/* Are sizes and extensions those of a pair, whatever the distance? */
bool rule_allows(const struct find_rule *rule, const struct find_file *x,
		 const struct find_file *y);

/*
 * Are two files a pair? If they are, the distance, the verification and the resemblance are set,
 * but see settle_identity.
 */
bool rule_matches(const struct find_rule *rule, const struct find_file *x,
		  const struct find_file *y, struct relation *relation);

#endif

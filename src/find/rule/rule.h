/*
 * Decides which two files are a pair (paper, 4.2), and computes the largest distance of a file from
 * any partner, which limits every search.
 *
 *     rule_init(&rule, SIMHASH_SKEW_EXT, &tolerance);
 *     rule_add_tolerance(&rule, "ps=0.05", &error);
 *     file->tolerance = rule_tolerance_of(&rule, name);
 *     file->reach = rule_reach(&rule, file->tolerance, file->has_sketch, size);
 *     rule_matches(&rule, file, other, &relation);
 *     rule_release(&rule);
 *
 * A rule does not change during a search, so any number of threads may use it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_RULE_H
#define SIMHASH_FIND_RULE_H

#include <stdbool.h>

#include "find/rule/verify.h"

enum candidates {
	/*
	 * All pairs with near sizes and sum tables; with a key `_ext`, only pairs with equal
	 * extension hashes.
	 */
	CANDIDATES_EXACT,
	/*
	 * The pairs of the paper: files with any extensions whose sizes, sum tables and keys are
	 * near.
	 */
	CANDIDATES_KEY,
	/* All pairs with near sizes and sum tables and any extensions; only to count them. */
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
	/* For files with these extensions. The smaller of two tolerances applies to a pair. */
	struct extension_tolerance *extensions;
	uint32_t extension_count;
	size_t extension_capacity;
	struct verify_rule verify;
	/* The largest tolerance for a pair that nothing verifies. */
	int64_t unverified_percent_millionths;
};

/* Set a rule that verifies nothing. */
void rule_init(struct find_rule *rule, enum simhash_key key,
	       const struct simhash_tolerance *tolerance);
void rule_release(struct find_rule *rule);

/*
 * Add a tolerance such as "ps=0.05". The last one for an extension applies. Errors: SYNTAX, RANGE,
 * MEMORY.
 */
int rule_add_tolerance(struct find_rule *rule, const char *text, struct simhash_error *error);

/* Read a file of such lines, with '#' for comments. Errors read "FILE:LINE: ...". */
int rule_read_tolerances(struct find_rule *rule, const char *path, struct simhash_error *error);

/* The number of the tolerance for a file with this name, for the functions below. */
uint32_t rule_tolerance_of(const struct find_rule *rule, struct bytes name);

/*
 * The largest distance from a file of this size, with or without a resemblance sketch, to any file
 * that it can be a pair with by its counts.
 */
int64_t rule_reach(const struct find_rule *rule, uint32_t tolerance, bool has_sketch,
		   int64_t size_bytes);

/* The largest distance of the key uniform of a file to a larger uniform of any partner. */
int64_t rule_end_reach(const struct find_rule *rule, const struct find_file *file);

/* The same for partners of at most `largest` bytes. */
int64_t rule_reach_to(const struct find_rule *rule, const struct find_file *file, int64_t largest);

/*
 * The distance within which a search by counts looks for pairs. Pairs that are further apart have
 * sketches with a common key, and are found by this key: see sketch_keys.h.
 */
int64_t rule_swept_reach(const struct find_rule *rule, uint32_t tolerance, bool has_sketch,
			 int64_t size_bytes);

/*
 * The power of the reach by counts (see near.h). It is 0 if counts find only identical files, which
 * is so for small files if all files have sketches.
 */
unsigned rule_power(const struct find_rule *rule, const struct find_file *file, bool all_sketched);

/* The reach of each file is at most (size / *down + 1) * *up + 2. */
void rule_slope(const struct find_rule *rule, int64_t *up, int64_t *down);

/* Are only files with equal extension hashes candidates? */
bool rule_is_by_extension(const struct find_rule *rule);

/* Do sizes and extensions allow a pair, at any distance? */
bool rule_allows(const struct find_rule *rule, const struct find_file *x,
		 const struct find_file *y);

/*
 * Are two files a pair? If they are, this sets the distance, the verification and the resemblance;
 * see also settle_identity.
 */
bool rule_matches(const struct find_rule *rule, const struct find_file *x,
		  const struct find_file *y, struct relation *relation);

/*
 * The same for identical files, and for files that are a pair because their counts are near. The
 * relation is all zero before, or it has the estimate of these files.
 */
bool rule_matches_by_counts(const struct find_rule *rule, const struct find_file *x,
			    const struct find_file *y, struct relation *relation);

/*
 * Does a search by counts, within the swept reach of both files, find this pair? If not, the two
 * sketches have a common key.
 */
bool rule_is_swept(const struct find_rule *rule, const struct find_file *x,
		   const struct find_file *y, uint64_t distance);

#endif

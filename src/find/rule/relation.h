/*
 * Describes how two files are related. This is the only description of a pair: pairs in memory and in
 * temporary files, contents of groups, and members of groups each have one.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_RELATION_H
#define SIMHASH_FIND_RELATION_H

#include <stdbool.h>
#include <stdint.h>

/* How a pair was verified. */
enum verification {
	PAIR_UNVERIFIED, /* the counts are near, and no more is known */
	PAIR_HASH,	 /* the content hashes are equal */
	PAIR_SKETCH,	 /* the sketches estimate the resemblance */
	PAIR_COUNTS,	 /* the sketches hold the same few shingles, and the counts are near */
	PAIR_READ,	 /* both files were read: the shares are measured */
	PAIR_MEASURED	 /* found by another measure: its similarity is the resemblance */
};

/* The relation of a file `a` with a file `b`. */
struct relation {
	uint64_t distance;
	double resemblance; /* the share of their content that they have in common */
	/* The share of a's bytes that are in b, and the reverse; for files that were read, and parts. */
	double contained_a, contained_b;
	enum verification verification;
	bool is_identical;  /* the same size and content hash; or, once read, the same bytes */
	bool is_part;	    /* one file is contained in the other; contained_a and _b say how far */
	bool is_unreadable; /* was to be read, and could not be as it was indexed */
};

_Static_assert(sizeof(struct relation) <= 40, "there may be very many of them");

/* Of two files with the same content. */
#define RELATION_OF_COPIES                                                        \
	{                                                                         \
		.resemblance = 1, .verification = PAIR_HASH, .is_identical = true \
	}

static inline bool has_resemblance(const struct relation *relation)
{
	return relation->verification != PAIR_UNVERIFIED && relation->verification != PAIR_COUNTS;
}

/* Is it known how much of each file is in the other? */
static inline bool has_containment(const struct relation *relation)
{
	return relation->verification == PAIR_READ || relation->is_part;
}

/* The relation of `b` with `a`. */
static inline struct relation relation_turned(const struct relation *relation)
{
	struct relation turned = *relation;

	turned.contained_a = relation->contained_b;
	turned.contained_b = relation->contained_a;
	return turned;
}

/* The share of the smaller file, as a rule, that is in the other. */
static inline double larger_containment(const struct relation *relation)
{
	return relation->contained_a >= relation->contained_b ? relation->contained_a
							      : relation->contained_b;
}

/* Below 0: x is the relation of the more alike; 0: neither. */
int relations_compare(const struct relation *x, const struct relation *y);

/*
 * The resemblance as it is shown: 1 only for identical files; NAN where it is not known.
 * `is_identical`: by their content hashes, where the relation does not say so.
 */
double shown_resemblance(const struct relation *relation, bool is_identical);

#endif

/*
 * Describes how two files are related. Pairs in memory and in temporary files, contents of groups,
 * and members of groups all use this description.
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMHASH_FIND_RELATION_H
#define SIMHASH_FIND_RELATION_H

#include <stdbool.h>
#include <stdint.h>

/* How a pair was verified. */
enum verification {
	PAIR_UNVERIFIED, /* the counts are near, and nothing else is known */
	PAIR_HASH,	 /* the content hashes are equal */
	PAIR_SKETCH,	 /* the sketches estimate the resemblance */
	PAIR_TEXT,	 /* the texts are the same, except for white space */
	PAIR_COUNTS,	 /* the sketches have the same few shingles, and the counts are near */
	PAIR_READ,	 /* both files were read: the shares are measured */
	/* Another measure found it; the resemblance is the similarity by that measure. */
	PAIR_MEASURED
};

/* The relation of a file `a` with a file `b`. */
struct relation {
	uint64_t distance;
	double resemblance; /* the share of content that both have */
	/*
	 * The share of a's bytes that are in b, and the reverse; for parts, and for files that were
	 * read.
	 */
	double contained_a, contained_b;
	enum verification verification;
	/* Equal sizes and content hashes or, if the files were read, equal bytes. */
	bool is_identical;
	bool is_part;	    /* one file is part of the other; see contained_a and contained_b */
	bool shares_key;    /* a search found that the sketches share a key */
	bool is_unreadable; /* it should be read, but could not be read as it was indexed */
};

_Static_assert(sizeof(struct relation) <= 40, "there may be very many of them");

/* The relation of two files with the same content. */
#define RELATION_OF_COPIES                                                        \
	{                                                                         \
		.resemblance = 1, .verification = PAIR_HASH, .is_identical = true \
	}

static inline bool has_resemblance(const struct relation *relation)
{
	return relation->verification != PAIR_UNVERIFIED && relation->verification != PAIR_COUNTS;
}

/* Is the resemblance known from sketches? */
static inline bool is_by_sketches(const struct relation *relation)
{
	return relation->verification == PAIR_SKETCH || relation->verification == PAIR_TEXT;
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

/* The larger of both shares, usually the share of the smaller file that is in the larger one. */
static inline double larger_containment(const struct relation *relation)
{
	return relation->contained_a >= relation->contained_b ? relation->contained_a
							      : relation->contained_b;
}

/* Negative: x is more alike; positive: y is; 0: neither. */
int relations_compare(const struct relation *x, const struct relation *y);

/*
 * The resemblance to show: 1 only for identical files and for the same text; NAN if unknown. `is_identical`: the content
 * hashes are equal, if the relation does not say so.
 */
double shown_resemblance(const struct relation *relation, bool is_identical);

/*
 * One of the two contained shares to show; NAN if unknown. Only reading shows that all of a file is
 * in another one.
 */
double shown_containment(const struct relation *relation, double contained);

#endif

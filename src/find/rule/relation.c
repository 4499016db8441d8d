/*
 * Compares relations and computes the resemblance to show.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/relation.h"

#include <math.h>

#include "base/text/decimal.h"
#include "simhash.h"

int relations_compare(const struct relation *x, const struct relation *y)
{
	bool x_is_known = has_resemblance(x);

	if (x_is_known != has_resemblance(y))
		return x_is_known ? -1 : 1;
	if (x_is_known && x->resemblance != y->resemblance)
		return x->resemblance > y->resemblance ? -1 : 1;
	return (x->distance > y->distance) - (x->distance < y->distance);
}

double shown_resemblance(const struct relation *relation, bool is_identical)
{
	bool is_same = is_identical || relation->verification == PAIR_TEXT;

	return has_resemblance(relation)
		       ? shown_share(relation->resemblance, is_same, SIMHASH_MILLION)
		       : NAN;
}

double shown_containment(const struct relation *relation, double contained)
{
	bool is_whole = contained >= 1 && relation->verification == PAIR_READ;

	return has_containment(relation) ? shown_share(contained, is_whole, SIMHASH_MILLION) : NAN;
}

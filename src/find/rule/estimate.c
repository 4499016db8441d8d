/*
 * Estimates from counts how much of the content differs between two files.
 *
 * Suppose that new content of the same kind replaces a share f of the windows counted for a tag.
 * Then d = a - b is the difference of two independent counts, each from a share f of the windows,
 * and its variance is about f (a + b). On average, d^2 / (a + b) is f, and it is 1 for unrelated
 * content of one kind.
 *
 * Added or removed content moves all counts in one direction: by a share of (a + b) if it is like
 * the rest, or by a constant if it contains all bytes equally often. Weighted least squares remove
 * these two directions. Tag 00 is ignored, because padding alone can move it; the difference of the
 * sizes measures padding instead. 15 tags minus two directions leave 13 degrees of freedom to
 * divide by. There are fewer if some tags do not occur, and in plain text most tags do not occur.
 * SPDX-License-Identifier: MIT
 */
#include "find/rule/estimate.h"

#include <math.h>

#define PADDING_TAG 0 /* the position of 00 in the built-in set */

/* Sums of weighted products over the tags: of d, of s = a + b, and of 1. */
struct moments {
	double dd, ds, d1, ss, s1, one;
	double present; /* the number of tags that occur */
};

/* The minimum sum of w (d - x s - y)^2 over all x and y. */
static double least_squares(const struct moments *m)
{
	double determinant = m->ss * m->one - m->s1 * m->s1;
	double x, y, rest;

	if (m->one <= 0)
		return 0;
	if (determinant > 1e-9 * m->ss * m->one) {
		x = (m->ds * m->one - m->d1 * m->s1) / determinant;
		y = (m->d1 * m->ss - m->ds * m->s1) / determinant;
	} else { /* all s are equal: the two directions are the same */
		x = 0;
		y = m->d1 / m->one;
	}
	rest = m->dd - x * m->ds - y * m->d1;
	return rest > 0 ? rest : 0;
}

double estimate_change(const struct simhash_sum_table *a, int64_t size_a_bytes,
		       const struct simhash_sum_table *b, int64_t size_b_bytes)
{
	struct moments m = {0};
	double freedom, residual, changed, size_a = (double)size_a_bytes,
					   size_b = (double)size_b_bytes;
	double larger = size_a > size_b ? size_a : size_b;
	double apart = size_a > size_b ? size_a - size_b : size_b - size_a;

	for (int t = 0; t < SIMHASH_TAGS; t++) {
		double d = (double)a->count[t] - (double)b->count[t];
		double s = (double)a->count[t] + (double)b->count[t];
		double w = 1 / (s + 1);
		if (t == PADDING_TAG)
			continue;
		m.dd += w * d * d;
		m.ds += w * d * s;
		m.d1 += w * d;
		m.ss += w * s * s;
		m.s1 += w * s;
		m.one += w;
		m.present += w * s;
	}
	freedom = m.present > 3 ? m.present - 2 : 1;
	residual = least_squares(&m) / freedom;
	changed = residual + (larger > 0 ? apart / larger : 0);
	return changed < 1 ? changed : 1;
}

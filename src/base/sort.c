/*
 * qsort_r(3), whose arguments differ between systems.
 * SPDX-License-Identifier: MIT
 */
#include "base/sort.h"

#include <stdlib.h>

#if defined(__APPLE__) || (defined(__FreeBSD__) && __FreeBSD__ < 14)
/* There the context comes first, for qsort_r and for what it calls. */
struct order {
	sort_compare_fn *compare;
	void *context;
};

static int compare_in_order(void *order, const void *a, const void *b)
{
	const struct order *o = order;

	return o->compare(a, b, o->context);
}

void sort_with(void *items, size_t count, size_t item_size, sort_compare_fn *compare, void *context)
{
	struct order order = {compare, context};

	if (count > 1)
		qsort_r(items, count, item_size, &order, compare_in_order);
}
#else
void sort_with(void *items, size_t count, size_t item_size, sort_compare_fn *compare, void *context)
{
	if (count > 1)
		qsort_r(items, count, item_size, compare, context);
}
#endif

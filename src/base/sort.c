/*
 * Sorting by a comparison, which is qsort_r(3), whose arguments differ between systems, and by
 * digits of numbers (radix sort), which takes a time proportional to their count.
 * SPDX-License-Identifier: MIT
 */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

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

void sort_items(struct sort_item *items, struct sort_item *scratch, size_t count, unsigned bits)
{
	enum { DIGIT = 11 };
	size_t starts[1 << DIGIT];
	struct sort_item *from = items, *to = scratch;

	for (unsigned shift = 0; shift < bits; shift += DIGIT) {
		struct sort_item *other = from;
		unsigned width = bits - shift < DIGIT ? bits - shift : DIGIT;
		uint64_t mask = (UINT64_C(1) << width) - 1;
		size_t sum = 0;
		memset(starts, 0, sizeof starts);
		for (size_t i = 0; i < count; i++)
			starts[from[i].key >> shift & mask]++;
		if (count == 0 || starts[from[0].key >> shift & mask] == count)
			continue; /* all are in order by this digit */
		for (size_t i = 0; i <= mask; i++) {
			size_t here = starts[i];
			starts[i] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			to[starts[from[i].key >> shift & mask]++] = from[i];
		from = to;
		to = other;
	}
	if (from != items)
		memcpy(items, from, count * sizeof *items);
}

void sort_numbers(uint64_t *numbers, uint64_t *scratch, size_t count)
{
	enum { DIGIT = 8 };

	for (unsigned shift = 0; shift < 64; shift += DIGIT) {
		size_t starts[1 << DIGIT] = {0}, sum = 0;
		uint64_t *from = shift / DIGIT % 2 == 0 ? numbers : scratch;
		uint64_t *to = shift / DIGIT % 2 == 0 ? scratch : numbers;
		for (size_t i = 0; i < count; i++)
			starts[from[i] >> shift & 0xff]++;
		for (size_t i = 0; i < 1 << DIGIT; i++) {
			size_t here = starts[i];
			starts[i] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			to[starts[from[i] >> shift & 0xff]++] = from[i];
	}
}

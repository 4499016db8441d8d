/*
 * Sorts items by a comparison with qsort_r(3), whose arguments differ between systems. Sorts
 * numbers by their digits (radix sort) in time proportional to their count, and texts by both
 * methods.
 * SPDX-License-Identifier: MIT
 */
#include "base/sort/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/byte_order.h"

#if defined(__APPLE__) || (defined(__FreeBSD__) && __FreeBSD__ < 14)
/* On these systems the context is the first argument of qsort_r and of the comparison. */
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
			continue; /* all items have the same digit */
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

/* ---- Texts ---- */

enum { HEAD = 8, FEW_TEXTS = 128 };

/* Texts whose first `depth` bytes are equal. */
struct texts {
	sort_text_fn *text_of;
	const void *context;
	size_t depth;
};

static struct bytes text_from(const struct texts *texts, const struct sort_item *item)
{
	struct bytes text = texts->text_of(item->number, texts->context);

	return (struct bytes){text.data + texts->depth, text.size - texts->depth};
}

/* Return the first bytes as a number of the same order. A shorter text is padded with zeros. */
static uint64_t head_of(struct bytes text)
{
	uint8_t head[HEAD] = {0};

	memcpy(head, text.data, text.size < HEAD ? text.size : HEAD);
	return read_big_endian(head, HEAD);
}

static int compare_texts(const void *a, const void *b, void *context)
{
	const struct sort_item *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return bytes_compare(text_from(context, x), text_from(context, y));
}

/* Return the number of bytes after `depth` that all texts share. */
static size_t common_size(const struct texts *texts, const struct sort_item *items, size_t count)
{
	struct bytes first = text_from(texts, &items[0]);

	for (size_t i = 1; i < count; i++) {
		struct bytes text = text_from(texts, &items[i]);
		size_t same = 0, most = text.size < first.size ? text.size : first.size;
		if (most == first.size && memcmp(text.data, first.data, most) == 0)
			continue;
		while (same < most && text.data[same] == first.data[same])
			same++;
		first.size = same;
	}
	return first.size;
}

static bool has_ended(const struct texts *texts, const struct sort_item *items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (text_from(texts, &items[i]).size <= HEAD)
			return true;
	return false;
}

static void sort_group(const struct texts *texts, struct sort_item *items,
		       struct sort_item *scratch, size_t count)
{
	struct texts deeper = *texts;
	bool are_few = count <= FEW_TEXTS, have_ended = false;

	if (!are_few)
		deeper.depth += common_size(texts, items, count);
	for (size_t i = 0; i < count; i++) {
		struct bytes text = text_from(&deeper, &items[i]);
		items[i].key = head_of(text);
		have_ended = have_ended || text.size <= HEAD;
	}
	if (are_few) {
		sort_with(items, count, sizeof *items, compare_texts, &deeper);
		return;
	}
	sort_items(items, scratch, count, 64);
	for (size_t begin = 0, end; begin < count; begin = end) {
		struct sort_item *group = items + begin;
		for (end = begin + 1; end < count && items[end].key == group->key;)
			end++;
		if (end - begin > 1 && have_ended && has_ended(&deeper, group, end - begin)) {
			sort_with(group, end - begin, sizeof *group, compare_texts, &deeper);
		} else if (end - begin > 1) {
			struct texts next = deeper;
			next.depth += HEAD;
			sort_group(&next, group, scratch, end - begin);
		}
	}
}

void sort_texts(struct sort_item *items, struct sort_item *scratch, size_t count,
		sort_text_fn *text_of, const void *context)
{
	const struct texts texts = {.text_of = text_of, .context = context};

	sort_group(&texts, items, scratch, count);
}

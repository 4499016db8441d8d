/*
 * Compares the sorting of texts with qsort(3): texts with the same beginning, texts that are the
 * beginning of others, equal texts, and texts of any bytes.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sort/sort.h"
#include "random.h"

enum { TEXTS = 3000, TEXT_MAX = 300 };

struct text {
	size_t size;
	char bytes[TEXT_MAX];
};

static struct text texts[TEXTS];
static struct sort_item items[TEXTS], scratch[TEXTS];
static const struct text *wanted[TEXTS];

static struct bytes text_of(uint64_t number, const void *context)
{
	const struct text *text = &((const struct text *)context)[number];

	return (struct bytes){text->bytes, text->size};
}

static int compare(const void *a, const void *b)
{
	const struct text *x = *(const struct text *const *)a, *y = *(const struct text *const *)b;

	return bytes_compare((struct bytes){x->bytes, x->size}, (struct bytes){y->bytes, y->size});
}

static void check(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		items[i] = (struct sort_item){.number = i};
		wanted[i] = &texts[i];
	}
	qsort(wanted, count, sizeof *wanted, compare);
	sort_texts(items, scratch, count, text_of, texts);
	for (size_t i = 0; i < count; i++) {
		const struct text *text = &texts[items[i].number];
		assert_int_equal(text->size, wanted[i]->size);
		assert_memory_equal(text->bytes, wanted[i]->bytes, text->size);
		assert_true(items[i].number < count);
	}
	/* Each item occurs once. */
	memset(scratch, 0, count * sizeof *scratch);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(scratch[items[i].number].key++, 0);
}

/*
 * The next text begins with up to `most` bytes of an earlier one, and continues with few different
 * letters.
 */
static void make_texts(size_t count, size_t most, unsigned letters)
{
	for (size_t i = 0; i < count; i++) {
		struct text *text = &texts[i];
		const struct text *other = &texts[i == 0 ? 0 : next_random() % i];
		text->size = next_random() % (most + 1);
		for (size_t at = 0; at < text->size; at++)
			text->bytes[at] = (char)(next_random() % letters);
		if (i > 0) {
			size_t same = next_random() % (other->size + 1);
			memcpy(text->bytes, other->bytes, same < text->size ? same : text->size);
		}
	}
}

static void texts_come_in_the_order_of_their_bytes(void **state)
{
	static const size_t counts[] = {0, 1, 2, 127, 128, 129, 1000, TEXTS};
	static const size_t sizes[] = {0, 1, 7, 8, 9, 16, 40, TEXT_MAX};
	static const unsigned letters[] = {1, 2, 256};

	(void)state;
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
		for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
			for (size_t l = 0; l < sizeof letters / sizeof *letters; l++) {
				make_texts(counts[c], sizes[s], letters[l]);
				check(counts[c]);
			}
}

/* Only the last bytes differ. */
static void texts_that_begin_alike_are_in_order(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEXTS; i++) {
		texts[i].size = TEXT_MAX;
		memset(texts[i].bytes, 'a', TEXT_MAX);
		memcpy(texts[i].bytes + TEXT_MAX - 2, &(uint16_t){(uint16_t)next_random()}, 2);
	}
	check(TEXTS);
}

/* Each text is the beginning of the next one. */
static void texts_that_others_go_on_from_come_first(void **state)
{
	(void)state;
	for (size_t i = 0; i < TEXTS; i++) {
		texts[i].size = next_random() % TEXT_MAX;
		memset(texts[i].bytes, i % 2 == 0 ? 0 : 0xff, TEXT_MAX);
	}
	check(TEXTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_come_in_the_order_of_their_bytes),
		cmocka_unit_test(texts_that_begin_alike_are_in_order),
		cmocka_unit_test(texts_that_others_go_on_from_come_first),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

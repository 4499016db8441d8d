/*
 * Tests that files with copies come content by content, also from temporary files: the largest
 * first, then by hash; each file comes once, and files are sorted by path.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/simkeep/copy_sorter.h"
#include "random.h"

#define CONTENTS 500
#define COPIES 40
#define FILES ((size_t)CONTENTS * COPIES)
#define SIZE_OF(content) (1 + (content) / 2) /* two contents of each size */

static struct simhash_error error;

/* File `number` is copy number / CONTENTS of content number % CONTENTS. */
static void add(struct copy_sorter *sorter, uint32_t number)
{
	struct find_file file = {
		.is_local = true, .inode = number, .device = 3, .mtime_ns = -(int64_t)number};
	uint32_t content = number % CONTENTS;
	char path[32];

	file.size_bytes = SIZE_OF(content);
	file.content_hash[0] = (uint8_t)(content % 2);
	memcpy(file.path_hash, &number, sizeof number);
	snprintf(path, sizeof path, "/folder/%03u/%02u", (unsigned)content,
		 (unsigned)(number / CONTENTS));
	file.display = path;
	file.display_size = (uint32_t)strlen(path);
	assert_int_equal(copy_sorter_add(sorter, &file, &error), 0);
}

static int take(void *context, struct keep_file *files, size_t count, struct simhash_error *unused)
{
	size_t *next = context; /* the content, the largest first */
	uint32_t content = CONTENTS - 2 - (uint32_t)(*next & ~(size_t)1) + (*next & 1);

	(void)unused;
	assert_int_equal(count, COPIES);
	for (uint32_t i = 0; i < COPIES; i++) {
		char path[32];
		snprintf(path, sizeof path, "/folder/%03u/%02u", (unsigned)content, (unsigned)i);
		assert_string_equal(files[i].path, path);
		assert_int_equal(files[i].size_bytes, SIZE_OF(content));
		assert_int_equal(files[i].mtime_ns, -(int64_t)(i * CONTENTS + content));
	}
	++*next;
	return 0;
}

static void check(size_t memory_bytes)
{
	struct copy_sorter *sorter;
	uint32_t *numbers = malloc(FILES * sizeof *numbers);
	size_t contents = 0;

	assert_non_null(numbers);
	assert_int_equal(copy_sorter_new(memory_bytes, false, &sorter, &error), 0);
	for (uint32_t i = 0; i < FILES; i++) {
		size_t other = next_random() % (i + 1);
		numbers[i] = numbers[other];
		numbers[other] = i;
	}
	for (size_t i = 0; i < FILES; i++) {
		add(sorter, numbers[i]);
		if (i % 3 == 0)
			add(sorter, numbers[i / 2]); /* a second time */
	}
	assert_int_equal(copy_sorter_each(sorter, take, &contents, &error), 0);
	assert_int_equal(contents, CONTENTS);
	copy_sorter_free(sorter);
	free(numbers);
}

static void contents_come_in_order(void **state)
{
	(void)state;
	random_begin();
	check((size_t)64 << 20); /* everything in memory */
	check((size_t)64 << 10); /* partly in files */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contents_come_in_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

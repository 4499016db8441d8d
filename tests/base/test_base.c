/*
 * Tests the basics that every room uses: arrays, paths, whole files, sorting, threads, clocks.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/basic/ascii.h"
#include "base/basic/bytes.h"
#include "base/basic/clock.h"
#include "base/data/array.h"
#include "base/data/slots.h"
#include "base/files/entry_reader.h"
#include "base/files/open_file.h"
#include "base/files/path.h"
#include "base/files/read_file.h"
#include "base/sort/sort.h"
#include "base/text/columns.h"
#include "base/text/line_buffer.h"
#include "base/threads/queue.h"
#include "base/threads/threads.h"

static struct simhash_error error;

/* ---- Arrays ---- */

static void array_keeps_its_items_as_it_grows(void **state)
{
	uint64_t *items = NULL;
	size_t capacity = 0;

	(void)state;
	for (size_t i = 0; i < 10000; i++) {
		assert_int_equal(array_reserve(&items, &capacity, i + 1, sizeof *items, &error), 0);
		assert_true(capacity > i);
		items[i] = i * i;
	}
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(items[i], i * i);
	free(items);
}

static void array_that_cannot_grow_is_as_it_was(void **state)
{
	char *items = NULL;
	size_t capacity = 0;

	(void)state;
	assert_int_equal(array_reserve(&items, &capacity, 3, 1, &error), 0);
	memcpy(items, "abc", 3);
	for (size_t item_size = 1; item_size < SIZE_MAX / 2; item_size = item_size * 2 + 1) {
		size_t before = capacity;
		char *kept = items;
		assert_int_equal(array_reserve(&items, &capacity, SIZE_MAX - 1, item_size, &error),
				 -1);
		assert_int_equal(error.code, SIMHASH_E_MEMORY);
		assert_ptr_equal(items, kept);
		assert_int_equal(capacity, before);
		assert_memory_equal(items, "abc", 3);
	}
	free(items);
}

/* ---- Hash tables ---- */

#define SLOT_ITEMS 5000

/* Items with even keys are entered. Their hashes have `distinct` different values. */
static bool is_item(const void *key, uint32_t number)
{
	return *(const uint32_t *)key == 2 * number;
}

static void expect_items(uint32_t distinct)
{
	struct slots slots = {.items = NULL};

	for (uint32_t key = 0; key < 4; key++)
		assert_int_equal(slots_number(&slots, key, is_item, &key), NO_ITEM);
	for (uint32_t number = 1; number <= SLOT_ITEMS; number++) {
		uint32_t key = 2 * number;
		uint64_t hash = (uint64_t)(key % distinct) << 40 | key % distinct;
		struct slot *slot;
		assert_int_equal(slots_reserve(&slots, &error), 0);
		slot = slots_find(&slots, hash, is_item, &key);
		assert_int_equal(slot->number, NO_ITEM);
		slots_add(&slots, slot, hash, number);
		assert_true(slots.used <= slots.count / 2);
	}
	for (uint32_t key = 2; key <= 2 * SLOT_ITEMS + 1; key++)
		assert_int_equal(slots_number(&slots,
					      (uint64_t)(key % distinct) << 40 | key % distinct,
					      is_item, &key),
				 key % 2 == 0 ? key / 2 : NO_ITEM);
	assert_int_equal(slots.used, SLOT_ITEMS);
	slots_release(&slots);
	assert_null(slots.items);
}

static void slots_find_each_item_and_no_other(void **state)
{
	(void)state;
	expect_items(UINT32_MAX);
	expect_items(1000); /* several items have the same hash */
	expect_items(3);
}

static void slots_refuse_more_than_numbers_reach(void **state)
{
	struct slots slots = {.items = NULL};

	(void)state;
	assert_int_equal(slots_reserve_all(&slots, (size_t)UINT32_MAX, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_RANGE);
	assert_null(slots.items);
}

/* ---- Paths ---- */

static void join_puts_one_slash_between(void **state)
{
	static const char *const cases[][3] = {
		{"/a", "b", "/a/b"}, {"/a/", "b", "/a/b"}, {"/", "b", "/b"},
		{"", "b", "b"},	     {"a", "", "a/"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *path = path_join(bytes_of(cases[i][0]), bytes_of(cases[i][1]));
		assert_string_equal(path, cases[i][2]);
		free(path);
	}
}

static void at_or_below_ends_at_a_slash(void **state)
{
	static const struct {
		const char *path, *top;
		bool is_below;
	} cases[] = {
		{"/a/b", "/a/b", true},	   {"/a/b/c", "/a/b", true}, {"/a/bc", "/a/b", false},
		{"/a", "/a/b", false},	   {"/a", "/", true},	     {"/", "/", true},
		{"/b/a/b", "/a/b", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(
			path_is_at_or_below(bytes_of(cases[i].path), bytes_of(cases[i].top)),
			cases[i].is_below);
}

/* Creates a folder and makes it the working directory; returns its resolved path. */
static char *enter_folder(void)
{
	char name[] = "/tmp/simhash-base.XXXXXX";

	assert_non_null(mkdtemp(name));
	assert_int_equal(chdir(name), 0);
	return realpath(".", NULL);
}

static void leave_folder(char *folder)
{
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(folder), 0);
	free(folder);
}

static void absolute_names(const char *named, const char *folder, const char *rest)
{
	char *path = path_absolute(named), expected[4096];

	snprintf(expected, sizeof expected, "%s%s", folder, rest);
	assert_non_null(path);
	assert_string_equal(path, expected);
	free(path);
}

static void absolute_resolves_directories_and_keeps_the_last_name(void **state)
{
	char *folder = enter_folder();

	(void)state;
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(symlink("d", "link"), 0);
	absolute_names(".", folder, "");
	absolute_names("d/..", folder, "");
	absolute_names("d", folder, "/d");
	absolute_names("d///", folder, "/d");
	absolute_names("link", folder, "/link");
	absolute_names("link/", folder, "/link");
	absolute_names("link/x", folder, "/d/x");
	absolute_names("gone", folder, "/gone");
	absolute_names("gone/deeper", folder, "/gone/deeper");
	absolute_names("/", "", "/");
	assert_null(path_absolute(""));
	assert_int_equal(errno, ENOENT);
	assert_int_equal(unlink("link"), 0);
	assert_int_equal(rmdir("d"), 0);
	leave_folder(folder);
}

/* ---- Whole files ---- */

static void write_bytes(const char *name, const char *bytes, size_t size)
{
	FILE *file = fopen(name, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void file_is_read_whole_and_ends_in_a_zero(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 65534, 65535, 65536, 65537, 200000};
	char *folder = enter_folder(), *written = malloc(200000), *bytes;
	size_t size;

	(void)state;
	for (size_t i = 0; i < 200000; i++)
		written[i] = (char)(i * 7 + i / 251);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		write_bytes("file", written, sizes[i]);
		assert_int_equal(read_file("file", sizes[i], &bytes, &size, &error), 0);
		assert_int_equal(size, sizes[i]);
		assert_memory_equal(bytes, written, size);
		assert_int_equal(bytes[size], 0);
		free(bytes);
	}
	free(written);
	assert_int_equal(unlink("file"), 0);
	leave_folder(folder);
}

static void file_beyond_the_bound_is_an_error_that_names_it(void **state)
{
	char *folder = enter_folder(), *bytes;
	size_t size;

	(void)state;
	write_bytes("file", "abcdef", 6);
	assert_int_equal(read_file("file", 5, &bytes, &size, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_RANGE);
	assert_non_null(strstr(error.message, "file"));
	assert_null(bytes);
	assert_int_equal(unlink("file"), 0);
	assert_int_equal(read_file("file", 5, &bytes, &size, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_SYSTEM);
	assert_int_equal(error.system_errno, ENOENT);
	leave_folder(folder);
}

static void pipe_is_read_to_its_end(void **state)
{
	int ends[2];
	char *bytes;
	size_t size;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "one", 3), 3);
	assert_int_equal(write(ends[1], "two", 3), 3);
	close(ends[1]);
	assert_int_equal(read_descriptor(ends[0], "pipe", 100, &bytes, &size, &error), 0);
	assert_string_equal(bytes, "onetwo");
	assert_int_equal(size, 6);
	free(bytes);
	close(ends[0]);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* The names in a directory, sorted and joined. */
static void list_names(struct entry_reader *reader, int fd, char *text, size_t size)
{
	char names[64][8];
	struct entry entry;
	size_t count = 0, used = 0;
	int status;

	assert_int_equal(entry_reader_begin(reader, fd), 0);
	while ((status = entry_reader_next(reader, &entry)) == 1) {
		assert_true(count < 64 && strlen(entry.name) < 8);
		if (entry.type != ENTRY_TYPE_UNKNOWN)
			assert_int_equal(entry.type, entry.name[0] == 'd'   ? ENTRY_TYPE_DIRECTORY
						     : entry.name[0] == 'l' ? ENTRY_TYPE_LINK
									    : ENTRY_TYPE_FILE);
		strcpy(names[count++], entry.name);
	}
	assert_int_equal(status, 0);
	entry_reader_end(reader);
	qsort(names, count, sizeof *names, compare_names);
	text[0] = '\0';
	for (size_t i = 0; i < count; i++)
		used += (size_t)snprintf(text + used, size - used, "%s ", names[i]);
}

static void entries_are_read_with_their_types(void **state)
{
	static const char *const names[] = {"a", "c", ".x", "..y", "l"};
	char *folder = enter_folder(), text[512];
	struct entry entry;
	struct entry_reader reader = {0};
	int fd;

	(void)state;
	for (size_t i = 0; i < 4; i++)
		write_bytes(names[i], "", 0);
	assert_int_equal(mkdir("d", 0700), 0);
	assert_int_equal(symlink("d", "l"), 0);
	fd = open_file_at(AT_FDCWD, ".", O_RDONLY | O_DIRECTORY, 0);
	list_names(&reader, fd, text, sizeof text);
	assert_string_equal(text, "..y .x a c d l ");
	close(fd);
	/* A removed directory may have no entries, or report this. */
	fd = open_file_at(AT_FDCWD, "d", O_RDONLY | O_DIRECTORY, 0);
	assert_int_equal(rmdir("d"), 0);
	assert_int_equal(entry_reader_begin(&reader, fd), 0);
	assert_true(entry_reader_next(&reader, &entry) == 0 || errno == ENOENT);
	entry_reader_end(&reader);
	close(fd);
	/* Only directories can be read. */
	fd = open_file_at(AT_FDCWD, "a", O_RDONLY, 0);
	{
		assert_true(entry_reader_begin(&reader, fd) != 0 ||
			    entry_reader_next(&reader, &entry) < 0);
		assert_int_equal(errno, ENOTDIR);
	}
	entry_reader_end(&reader);
	close(fd);
	entry_reader_release(&reader);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		assert_int_equal(unlink(names[i]), 0);
	leave_folder(folder);
}

/* The lowest free descriptor. */
static int free_descriptor(void)
{
	int fd = dup(STDOUT_FILENO);

	close(fd);
	return fd;
}

/* The size of the descriptor table, if Linux shows it. */
static unsigned descriptors_reserved(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[128];
	unsigned size = 0;

	while (status != NULL && size == 0 && fgets(line, sizeof line, status) != NULL)
		sscanf(line, "FDSize: %u", &size);
	if (status != NULL)
		fclose(status);
	return size;
}

static void reserved_descriptors_are_free(void **state)
{
	int lowest = free_descriptor();
	unsigned before = descriptors_reserved();

	(void)state;
	reserve_descriptors(700);
	assert_int_equal(free_descriptor(), lowest);
	if (before > 0)
		assert_true(descriptors_reserved() >= 700);
	reserve_descriptors(0);
	reserve_descriptors(70000); /* may be more than the system allows */
	assert_int_equal(free_descriptor(), lowest);
}

/* ---- Sorting, bytes ---- */

static int by_weight(const void *a, const void *b, void *context)
{
	const int *weights = context, x = *(const int *)a, y = *(const int *)b;

	return (weights[x] > weights[y]) - (weights[x] < weights[y]);
}

static void sort_orders_by_its_context(void **state)
{
	int weights[101], order[101];

	(void)state;
	for (int i = 0; i < 101; i++) {
		order[i] = i;
		weights[i] = i * 37 % 101;
	}
	sort_with(order, 101, sizeof *order, by_weight, weights);
	for (int i = 0; i < 101; i++)
		assert_int_equal(weights[order[i]], i);
	sort_with(NULL, 0, sizeof *order, by_weight, weights);
}

static void last_byte_is_the_last(void **state)
{
	static const char text[] = "a/b/c";

	(void)state;
	assert_ptr_equal(last_byte(text, '/', 5), text + 3);
	assert_ptr_equal(last_byte(text, '/', 3), text + 1);
	assert_null(last_byte(text, '/', 1));
	assert_null(last_byte(text, '/', 0));
}

static void only_ascii_letters_change_case(void **state)
{
	(void)state;
	for (int c = 0; c < 256; c++) {
		char lower = ascii_lower((char)c);
		if (c >= 'A' && c <= 'Z')
			assert_int_equal(lower, c + 32);
		else
			assert_int_equal(lower, (char)c);
	}
}

/* ---- Threads and clocks ---- */

static void times_that_do_not_fit_differ(void **state)
{
	const int64_t last_s = INT64_MAX / NS_PER_S - 1;
	const int64_t years[] = {2263, 2300, 2400, 2486, 2500}, year_s = 31556952;
	int64_t before = last_s * NS_PER_S, after = -before;

	(void)state;
	assert_int_equal(clock_ns(last_s, 999999999), last_s * NS_PER_S + 999999999);
	assert_int_equal(clock_ns(-last_s, 0), -last_s * NS_PER_S);
	for (size_t i = 0; i < sizeof years / sizeof *years; i++) {
		int64_t seconds = (years[i] - 1970) * year_s;
		int64_t late = clock_ns(seconds, 5), early = clock_ns(-seconds, 5);
		assert_true(late != clock_ns(seconds, 6) && late != clock_ns(seconds + 1, 5));
		assert_true(early != clock_ns(-seconds, 6) && early != clock_ns(-seconds - 1, 5));
		/*
		 * The values are in order near the limits, and the same when they are computed
		 * again.
		 */
		assert_true(late > last_s * NS_PER_S - (INT64_C(1) << 56));
		assert_true(early < -last_s * NS_PER_S + (INT64_C(1) << 56));
		assert_true(i == 0 || (late > before && early < after));
		assert_int_equal(late, clock_ns(late / NS_PER_S, late % NS_PER_S));
		before = late;
		after = early;
	}
	assert_true(clock_ns(INT64_MAX, 0) >= before && clock_ns(INT64_MIN, 0) <= after);
}

static void *add_own_number(void *context)
{
	atomic_fetch_add((atomic_int *)context, 1);
	return NULL;
}

static void each_context_is_run_once(void **state)
{
	atomic_int runs[7];
	struct thread_group group;

	(void)state;
	for (unsigned count = 1; count <= 7; count++) {
		for (unsigned i = 0; i < 7; i++)
			atomic_init(&runs[i], 0);
		threads_run(count, add_own_number, runs, sizeof *runs);
		for (unsigned i = 0; i < 7; i++)
			assert_int_equal(atomic_load(&runs[i]), i < count);
	}
	assert_int_equal(threads_start(&group, 5, add_own_number, &runs[0], 0), 5);
	threads_join(&group);
	assert_int_equal(atomic_load(&runs[0]), 6);
}

static void empty_queue_times_out_and_ends(void **state)
{
	struct queue queue;
	int item, *got;
	bool timed_out = false;
	int64_t before = clock_monotonic_ns();

	(void)state;
	queue_init(&queue, 1, 2);
	assert_null(queue_pop_until(&queue, before + 20 * NS_PER_MS, &timed_out));
	assert_true(timed_out);
	assert_true(clock_monotonic_ns() - before >= 20 * NS_PER_MS);
	queue_push(&queue, &item);
	got = queue_pop_until(&queue, before, &timed_out);
	assert_ptr_equal(got, &item);
	assert_false(timed_out);
	queue_producer_leaves(&queue);
	assert_null(queue_pop_until(&queue, clock_monotonic_ns() + 3600 * NS_PER_S, &timed_out));
	assert_false(timed_out);
	queue_release(&queue);
}

/* ---- Columns ---- */

static void columns_are_those_of_terminals(void **state)
{
	static const struct {
		const char *text;
		size_t columns;
	} cases[] = {{"", 0},
		     {"abc", 3},
		     {"\xc3\xa9", 1},			 /* e with an accent */
		     {"e\xcc\x81", 1},			 /* the same in two characters */
		     {"\xe7\x8c\xab", 2},		 /* a Chinese character */
		     {"\xed\x95\x9c", 2},		 /* a Korean character */
		     {"\xef\xbd\xb6", 1},		 /* a narrow Japanese character */
		     {"\xf0\x9f\x90\x88", 2},		 /* a cat */
		     {"\x1b[32midentical\x1b[0m x", 11}, /* colours */
		     {"\xe2\x80\xa6", 1}};		 /* an ellipsis */

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(text_columns(bytes_of(cases[i].text)), cases[i].columns);
}

static void expect_shortened(const char *text, size_t columns, const char *expected)
{
	struct text_ends ends = text_shorten(bytes_of(text), columns);
	size_t size = strlen(text);
	char found[128];

	snprintf(found, sizeof found, "%.*s%s%s", (int)ends.head, text,
		 ends.head == size ? "" : LEFT_OUT, text + size - ends.tail);
	assert_string_equal(found, expected);
}

static void shortened_texts_fit_and_keep_numbers_whole(void **state)
{
	(void)state;
	expect_shortened("abcdefghijkl", 12, "abcdefghijkl");
	expect_shortened("abcdefghijklm", 12, "abc...hijklm");
	expect_shortened("abcdefghijklm", 3, "...");
	expect_shortened("ab123456789yz", 12, "ab...yz");
	expect_shortened("1234567890123", 12, "...");
	expect_shortened("x1.25 and 1,234,567 y", 18, "x1.25... y");
	expect_shortened("v1.2.3.4-and-more", 12, "v...and-more");
	expect_shortened("a\\x1bcdefghijklm", 12, "a...fghijklm");
	expect_shortened("\xe7\x8c\xab\xe7\x8c\xab\xe7\x8c\xab\xe7\x8c\xab\xe7\x8c\xab", 9,
			 "\xe7\x8c\xab...\xe7\x8c\xab\xe7\x8c\xab");
	expect_shortened("abe\xcc\x81"
			 "cdefghijkl",
			 12, "abe\xcc\x81...ghijkl");
}

/* ---- Lines ---- */

static void expect_line(const char *expected, void (*put)(struct line_buffer *, const void *),
			const void *value)
{
	struct line_buffer line = {.out = tmpfile()};
	char text[512] = "";

	assert_non_null(line.out);
	put(&line, value);
	line_flush(&line);
	rewind(line.out);
	assert_int_equal(fread(text, 1, sizeof text - 1, line.out), strlen(expected));
	assert_string_equal(text, expected);
	fclose(line.out);
}

static void put_double(struct line_buffer *line, const void *value)
{
	line_put_millionths(line, *(const double *)value);
}

static void expect_millionths(double value)
{
	char expected[512];

	snprintf(expected, sizeof expected, "%.6f", value);
	expect_line(expected, put_double, &value);
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* Ties are multiples of 1/128. printf rounds them to the even digit. */
static void millionths_are_those_of_printf(void **state)
{
	static const double special[] = {
		0,
		1,
		-0.0,
		0.0000005,
		0.9999995,
		0.99999949999,
		1e-300,
		5e-324,
		1e300,
		-2.5,
		8796093022207.9999,
		8796093022208.0,
		1e18,
		0.5 / 1000000,
		DBL_MAX,
	};
	uint64_t random = 88172645463325252;

	(void)state;
	for (size_t i = 0; i < sizeof special / sizeof *special; i++)
		expect_millionths(special[i]);
	for (unsigned i = 1; i < 1024; i += 3)
		expect_millionths(i / 128.0);
	for (int i = 0; i < 4000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		/* Exponents from -75 to 52. */
		expect_millionths(double_of((random & ((UINT64_C(1) << 52) - 1)) |
					    (948 + random % 128) << 52));
	}
}

static void put_integers(struct line_buffer *line, const void *unused)
{
	(void)unused;
	line_put_unsigned(line, 0);
	line_put(line, " ");
	line_put_unsigned(line, UINT64_MAX);
	line_put(line, " ");
	line_put_signed(line, INT64_MIN);
	line_put(line, " ");
	line_put_signed(line, -7);
}

static void integers_have_all_64_bits(void **state)
{
	(void)state;
	expect_line("0 18446744073709551615 -9223372036854775808 -7", put_integers, NULL);
}

/* Writes pieces of every size up to more than the size of the buffer. */
static void nothing_of_a_long_line_is_lost(void **state)
{
	struct line_buffer line = {.out = tmpfile()};
	char piece[1200];
	int c;

	(void)state;
	assert_non_null(line.out);
	for (size_t size = 0; size < sizeof piece; size += 7) {
		memset(piece, 'a' + (int)(size % 26), size);
		line_put_bytes(&line, (struct bytes){piece, size});
	}
	line_flush(&line);
	rewind(line.out);
	for (size_t size = 0; size < sizeof piece; size += 7)
		for (size_t i = 0; i < size; i++)
			assert_int_equal(fgetc(line.out), 'a' + (int)(size % 26));
	c = fgetc(line.out);
	assert_int_equal(c, EOF);
	fclose(line.out);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(array_keeps_its_items_as_it_grows),
		cmocka_unit_test(array_that_cannot_grow_is_as_it_was),
		cmocka_unit_test(slots_find_each_item_and_no_other),
		cmocka_unit_test(slots_refuse_more_than_numbers_reach),
		cmocka_unit_test(join_puts_one_slash_between),
		cmocka_unit_test(at_or_below_ends_at_a_slash),
		cmocka_unit_test(absolute_resolves_directories_and_keeps_the_last_name),
		cmocka_unit_test(file_is_read_whole_and_ends_in_a_zero),
		cmocka_unit_test(file_beyond_the_bound_is_an_error_that_names_it),
		cmocka_unit_test(pipe_is_read_to_its_end),
		cmocka_unit_test(entries_are_read_with_their_types),
		cmocka_unit_test(reserved_descriptors_are_free),
		cmocka_unit_test(sort_orders_by_its_context),
		cmocka_unit_test(last_byte_is_the_last),
		cmocka_unit_test(columns_are_those_of_terminals),
		cmocka_unit_test(shortened_texts_fit_and_keep_numbers_whole),
		cmocka_unit_test(millionths_are_those_of_printf),
		cmocka_unit_test(integers_have_all_64_bits),
		cmocka_unit_test(nothing_of_a_long_line_is_lost),
		cmocka_unit_test(only_ascii_letters_change_case),
		cmocka_unit_test(times_that_do_not_fit_differ),
		cmocka_unit_test(each_context_is_run_once),
		cmocka_unit_test(empty_queue_times_out_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

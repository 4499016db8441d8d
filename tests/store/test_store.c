/*
 * Tests the guarantees of the headers of src/store on each engine.
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

#include "base/basic/clock.h"
#include "base/basic/error.h"
#include "engine.h"
#include "store/names/names.h"
#include "store/names/scan_run.h"
#include "store/names/tag_sets.h"
#include "store/open/store.h"
#include "store/rows/known_file.h"
#include "store/rows/known_table.h"
#include "store/rows/row_reader.h"
#include "store/write/batch.h"

static struct simhash_error error;
static const struct row_scope scope = {1, 1};

static void check(int status)
{
	if (status != 0)
		fail_msg("%s", error.message);
}

static struct simhash_tag_set *tag_set(const char *name, uint8_t first)
{
	struct simhash_tag tags[SIMHASH_TAGS];
	struct simhash_tag_set *set;

	for (int i = 0; i < SIMHASH_TAGS; i++)
		tags[i] = (struct simhash_tag){(uint8_t)(first + i), 1000, 1, 2};
	check(simhash_tag_set_new(name, tags, &set, &error));
	return set;
}

static void write_rows(struct store *store, const struct file_row *rows, size_t count)
{
	const struct file_row **pointers = calloc(count, sizeof(*pointers));
	struct store_batch batch = {.rows = pointers, .row_count = count};
	int64_t removed = -1;

	for (size_t i = 0; i < count; i++)
		pointers[i] = &rows[i];
	check(store_write(store, &scope, &batch, &removed, &error));
	assert_int_equal(removed, 0);
	free(pointers);
}

/* Deep copies of rows that were read back. */
struct readback {
	struct file_row rows[4096];
	size_t count;
	char *bytes[8192];
	size_t bytes_count;
};

static struct bytes keep(struct readback *back, struct bytes from)
{
	char *copy = malloc(from.size + 1);

	memcpy(copy, from.data, from.size);
	back->bytes[back->bytes_count++] = copy;
	return (struct bytes){copy, from.size};
}

static void keep_row(struct readback *back, const struct file_row *row)
{
	back->rows[back->count] = *row;
	back->rows[back->count].directory = keep(back, row->directory);
	back->rows[back->count++].name = keep(back, row->name);
}

static struct readback *read_back(struct store *store, enum simhash_key key, int64_t low,
				  int64_t high)
{
	struct readback *back = calloc(1, sizeof *back);
	const struct row_filter filter = {.columns = ROW_CHECKED | ROW_HOST | ROW_WHOLE,
					  .tag_set = scope.tag_set,
					  .key = key,
					  .low = low,
					  .high = high};
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	int status;

	check(store_rows_in_order(&cursor, store, &filter, &error));
	while ((status = store_rows_next(&cursor, &row, &error)) == 1)
		keep_row(back, &row);
	check(status);
	store_rows_end(&cursor);
	return back;
}

static void forget(struct readback *back)
{
	for (size_t i = 0; i < back->bytes_count; i++)
		free(back->bytes[i]);
	free(back);
}

static void assert_bytes(struct bytes a, struct bytes b)
{
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
}

static void open_makes_an_index_that_opens_again(void **state)
{
	struct store *store = engine_fresh_store();
	bool has_rows;

	(void)state;
	check(store_has_rows(store, &scope, &has_rows, &error));
	assert_false(has_rows);
	store_close(store);
	store = engine_open_store(OPEN_TO_WRITE);
	store_close(store);
	store = engine_open_store(OPEN_TO_READ);
	store_close(store);
	store_close(NULL);
}

static void rows_come_back_to_the_last_bit(void **state)
{
	/*
	 * An INSERT of many rows, then of single ones: more than one statement takes, and not a
	 * multiple of that.
	 */
	static char names[100][32], long_directory[70000];
	static struct file_row rows[100];
	struct store *store = engine_fresh_store();
	struct readback *back;

	(void)state;
	memset(long_directory, 'd', sizeof long_directory - 1);
	long_directory[0] = '/';
	for (int i = 0; i < 100; i++) {
		snprintf(names[i], sizeof names[i], "n%c\n\"'\\%03d\xff", i + 1, i);
		rows[i] = engine_row(i == 50 ? long_directory : "/a \x01\x80/b", names[i],
				     (uint64_t)i * 7919 + 1);
		rows[i].links = i % 3;
		rows[i].compressed_size_bytes = i % 2 * (INT64_MAX - i);
	}
	rows[3].size_bytes = INT64_MAX;
	rows[3].table.count[0] = INT64_MAX;
	rows[3].keys.key[SIMHASH_SKEW_EXT] = INT64_MAX;
	rows[4].keys.key[SIMHASH_SKEW_EXT] = 0;
	write_rows(store, rows, 100);
	back = read_back(store, SIMHASH_SKEW_EXT, INT64_MIN, INT64_MAX);
	assert_int_equal(back->count, 100);
	for (size_t i = 0; i < back->count; i++) {
		const struct file_row *found = &back->rows[i], *row;
		int number = atoi(found->name.data + 6);
		row = &rows[number];
		assert_bytes(found->directory, row->directory);
		assert_bytes(found->name, row->name);
		assert_int_equal(found->host, scope.host);
		assert_true(found->size_bytes == row->size_bytes);
		assert_true(found->compressed_size_bytes == row->compressed_size_bytes);
		assert_true(found->device == row->device);
		assert_true(found->inode == row->inode);
		assert_true(found->keys.key[SIMHASH_SKEW_EXT] == row->keys.key[SIMHASH_SKEW_EXT]);
		assert_memory_equal(&found->table, &row->table, sizeof found->table);
		assert_memory_equal(found->content_hash, row->content_hash, CONTENT_HASH_SIZE);
	}
	forget(back);
	store_close(store);
}

static void keys_are_read_in_order_and_by_range(void **state)
{
	static char names[3000][16];
	static struct file_row rows[3000];
	struct store *store = engine_fresh_store();

	(void)state;
	for (int i = 0; i < 3000; i++) {
		snprintf(names[i], sizeof names[i], "%d", i);
		rows[i] = engine_row("/k", names[i], (uint64_t)i * 48271 % 3001);
		if (i % 10 == 0)
			rows[i].size_bytes = 0;
		for (int t = 0; t < SIMHASH_TAGS && i % 10 == 0; t++)
			rows[i].table.count[t] = 0;
	}
	write_rows(store, rows, 3000);
	for (int key = 0; key < SIMHASH_KEYS; key++) {
		int64_t low = 500 * (key + 1), high = 1500 * (key + 1);
		struct readback *all =
			read_back(store, (enum simhash_key)key, INT64_MIN, INT64_MAX);
		struct readback *some = read_back(store, (enum simhash_key)key, low, high);
		size_t expected = 0;
		assert_int_equal(all->count, 2700); /* without the empty files */
		for (size_t i = 0; i < all->count; i++) {
			int64_t value = all->rows[i].keys.key[key];
			assert_true(i == 0 || all->rows[i - 1].keys.key[key] <= value);
			expected += value >= low && value <= high;
		}
		assert_int_equal(some->count, expected);
		assert_true(some->rows[0].keys.key[key] >= low);
		assert_true(some->rows[some->count - 1].keys.key[key] <= high);
		forget(all);
		forget(some);
	}
	store_close(store);
}

static void write_numbered(struct store *store, const char *directory, size_t count)
{
	struct file_row *rows = calloc(count, sizeof *rows);
	char(*names)[8] = calloc(count, sizeof *names);

	for (size_t i = 0; i < count; i++) {
		snprintf(names[i], sizeof names[i], "%zu", i);
		rows[i] = engine_row(directory, names[i], i);
	}
	write_rows(store, rows, count);
	free(names);
	free(rows);
}

static void a_stream_can_end_before_its_last_row(void **state)
{
	struct store *store = engine_fresh_store();
	const struct row_filter filter = {.columns = ROW_NAME,
					  .tag_set = 1,
					  .key = SIMHASH_UNIFORM,
					  .low = INT64_MIN,
					  .high = INT64_MAX};
	struct file_row row = {.host = 0};
	struct row_cursor cursor;
	struct readback *back;

	(void)state;
	write_numbered(store, "/s", 10);
	check(store_rows_in_order(&cursor, store, &filter, &error));
	for (int i = 0; i < 3; i++)
		assert_int_equal(store_rows_next(&cursor, &row, &error), 1);
	store_rows_end(&cursor);
	store_rows_end(&cursor);
	/* And the store can still be used. */
	back = read_back(store, SIMHASH_UNIFORM, INT64_MIN, INT64_MAX);
	assert_int_equal(back->count, 10);
	forget(back);
	store_close(store);
}

static void whole_rows_are_read_in_parts(void **state)
{
	struct store *store = engine_fresh_store();
	uint8_t after[PATH_HASH_SIZE], highest[PATH_HASH_SIZE];
	struct file_row row = {.host = scope.host};
	struct row_cursor cursor;
	size_t count = 0;

	(void)state;
	write_numbered(store, "/w", 10);
	/* Parts of 4, 4 and 2 rows, and then none. */
	for (int part = 0; part < 4; part++) {
		check(store_rows_after(&cursor, store, ROW_WHOLE, &scope, part == 0 ? NULL : after,
				       NULL, 4, &error));
		while (store_rows_next(&cursor, &row, &error) == 1) {
			assert_true(count == 0 || memcmp(after, row.path_hash, sizeof after) < 0);
			assert_int_equal(row.host, scope.host);
			memcpy(after, row.path_hash, sizeof after);
			count++;
		}
		store_rows_end(&cursor);
		assert_int_equal(count, part == 0 ? 4 : part == 1 ? 8 : 10);
	}
	/* Up to a row, including this row. */
	check(store_rows_after(&cursor, store, ROW_WHOLE, &scope, NULL, after, INT64_MAX, &error));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(store_rows_next(&cursor, &row, &error), 1);
	assert_int_equal(store_rows_next(&cursor, &row, &error), 0);
	store_rows_end(&cursor);
	/* No row comes after the last hash. */
	memset(highest, 0xff, sizeof highest);
	check(store_rows_after(&cursor, store, ROW_WHOLE, &scope, highest, NULL, 4, &error));
	assert_int_equal(store_rows_next(&cursor, &row, &error), 0);
	store_rows_end(&cursor);
	store_close(store);
}

static void a_row_written_again_is_replaced(void **state)
{
	struct store *store = engine_fresh_store();
	struct file_row row = engine_row("/r", "x", 1);
	struct readback *back;

	(void)state;
	write_rows(store, &row, 1);
	row.size_bytes = 4242;
	row.keys.key[SIMHASH_SKEW] = 17;
	write_rows(store, &row, 1);
	back = read_back(store, SIMHASH_SKEW, 17, 17);
	assert_int_equal(back->count, 1);
	assert_int_equal(back->rows[0].size_bytes, 4242);
	forget(back);
	store_close(store);
}

static void a_directory_is_read_alone_and_in_hash_order(void **state)
{
	struct store *store = engine_fresh_store();
	uint8_t hash[DIRECTORY_HASH_SIZE], absent[PATH_HASH_SIZE] = {0}, last[PATH_HASH_SIZE];
	struct file_row rows[60];
	char names[60][8];
	struct known_files files;
	struct known_file known;
	size_t count = 0;
	bool found;

	(void)state;
	for (int i = 0; i < 60; i++) {
		snprintf(names[i], sizeof names[i], "%d", i);
		rows[i] = engine_row(i % 3 == 0 ? "/one" : "/two", names[i], (uint64_t)i);
	}
	write_rows(store, rows, 60);
	directory_hash((struct bytes){"/one", 4}, hash);
	/* Read only a part the first time, so that the second time finds no remains of it. */
	check(known_files_begin(&files, store, &scope, hash, &error));
	assert_int_equal(known_files_next(&files, &known, &error), 1);
	known_files_end(&files);
	check(known_files_begin(&files, store, &scope, hash, &error));
	while (known_files_next(&files, &known, &error) == 1) {
		assert_memory_equal(known.path_hash, hash, DIRECTORY_HASH_SIZE);
		assert_true(count == 0 || memcmp(last, known.path_hash, sizeof last) < 0);
		assert_int_equal(known.scanned_at_ns, INT64_MAX);
		assert_int_equal(atoi(known.name.data) % 3, 0);
		memcpy(last, known.path_hash, sizeof last);
		count++;
	}
	known_files_end(&files);
	assert_int_equal(count, 20);
	check(store_find_file(store, &scope, rows[7].path_hash, &known, &found, &error));
	assert_true(found);
	assert_int_equal(known.size_bytes, rows[7].size_bytes);
	assert_int_equal(known.mtime_ns, 7);
	check(store_find_file(store, &scope, absent, &known, &found, &error));
	assert_false(found);
	store_close(store);
}

#define AHEAD_DIRECTORIES 40
#define AHEAD_FILES 7

/* A digest matches the rows as they are, and no other rows. */
static bool is_known_by_digest(struct store *store, const struct known_table *table,
			       const uint8_t hash[DIRECTORY_HASH_SIZE])
{
	struct known_row rows[AHEAD_FILES], other[AHEAD_FILES];
	struct known_files files;
	struct known_file known;
	size_t count = 0;
	bool is_same;

	check(known_files_begin(&files, store, &scope, hash, &error));
	while (known_files_next(&files, &known, &error) == 1)
		rows[count++] = known_row_of(&known);
	known_files_end(&files);
	is_same = known_table_is_same(table, hash, rows, count);
	for (size_t i = 0; i < count * 9; i++) {
		struct known_row *row = &other[i / 9];
		memcpy(other, rows, sizeof rows);
		row->name_hash += i % 9 == 0;
		row->mtime_ns += i % 9 == 1;
		row->size_bytes += i % 9 == 2;
		row->links ^= i % 9 == 3;
		row->is_inflated ^= i % 9 == 4;
		row->is_settled ^= i % 9 == 5;
		row->lacks_sketches ^= i % 9 == 6;
		row->lacks_resemblance ^= i % 9 == 7;
		row->inode ^= i % 9 == 8;
		assert_false(known_table_is_same(table, hash, other, count));
	}
	assert_false(count > 0 && known_table_is_same(table, hash, rows, count - 1));
	assert_false(known_table_is_same(table, hash, rows, 0));
	return is_same;
}

/* The table and the index must agree about a directory. */
static void compare_with_table(struct store *store, const struct known_table *table,
			       const uint8_t hash[DIRECTORY_HASH_SIZE], unsigned *known_count)
{
	struct known_files files;
	struct known_file expected, found;
	struct known_row *rows;
	size_t count, i = 0;

	if (!known_table_has(table, hash, &rows, &count)) {
		*known_count += is_known_by_digest(store, table, hash);
		return;
	}
	++*known_count;
	check(known_files_begin(&files, store, &scope, hash, &error));
	for (; known_files_next(&files, &expected, &error) == 1; i++) {
		assert_true(i < count);
		assert_ptr_equal(known_row_find(rows, count, expected.path_hash), &rows[i]);
		known_row_take(&rows[i], hash, &found);
		assert_memory_equal(found.path_hash, expected.path_hash, PATH_HASH_SIZE);
		assert_int_equal(found.mtime_ns, expected.mtime_ns);
		assert_int_equal(found.is_settled, expected.is_settled);
		assert_int_equal(found.compressed_size_bytes, expected.compressed_size_bytes);
		if (expected.compressed_size_bytes == 0)
			assert_int_equal(found.size_bytes, expected.size_bytes);
		assert_int_equal(found.links, expected.links);
		assert_int_equal(found.lacks_resemblance, expected.lacks_resemblance);
		assert_int_equal(found.lacks_sketches, expected.lacks_sketches);
	}
	known_files_end(&files);
	assert_int_equal(i, count);
}

/*
 * The number of directories whose rows the table knows, among the directories below and a missing
 * one.
 */
static unsigned read_ahead(struct store *store, unsigned parts, size_t bytes, bool is_stopped)
{
	struct known_table *table = known_table_new(parts, bytes, &error);
	uint8_t hash[DIRECTORY_HASH_SIZE];
	atomic_bool stop = is_stopped;
	unsigned known_count = 0;

	assert_non_null(table);
	for (unsigned i = 0; i < parts; i++)
		check(known_table_read(table, i, store, &scope, &stop, &error));
	for (unsigned i = 0; i <= AHEAD_DIRECTORIES; i++) {
		char path[8];
		snprintf(path, sizeof path, "/%u", i);
		directory_hash((struct bytes){path, strlen(path)}, hash);
		compare_with_table(store, table, hash, &known_count);
	}
	known_table_free(table);
	return known_count;
}

static void rows_read_ahead_are_those_of_each_directory(void **state)
{
	static struct file_row rows[AHEAD_DIRECTORIES * AHEAD_FILES];
	static char paths[AHEAD_DIRECTORIES][8], names[AHEAD_FILES][8];
	struct store *store = engine_fresh_store();
	unsigned count = 0, before = 0;

	(void)state;
	for (unsigned i = 0; i < AHEAD_FILES; i++)
		snprintf(names[i], sizeof names[i], "%u", i);
	for (unsigned i = 0; i < AHEAD_DIRECTORIES; i++) {
		snprintf(paths[i], sizeof paths[i], "/%u", i);
		for (unsigned j = 0; j < AHEAD_FILES; j++, count++) {
			rows[count] = engine_row(paths[i], names[j], count + 1);
			rows[count].compressed_size_bytes = j == 3 ? 1234 + i : 0;
			rows[count].links = j;
			rows[count].scanned_at_ns = rows[count].mtime_ns + (j == 5 ? 0 : NS_PER_S);
		}
	}
	write_rows(store, rows, count);
	for (unsigned parts = 1; parts <= 5; parts += 2)
		assert_int_equal(read_ahead(store, parts, 1 << 20, false), AHEAD_DIRECTORIES + 1);
	/* As many rows as fit, or digests of complete directories. */
	for (size_t bytes = 0; bytes < 15000; bytes += 1000) {
		unsigned known = read_ahead(store, 1, bytes, false);
		assert_true(known >= before && known <= AHEAD_DIRECTORIES + 1);
		assert_true(known * 24 <= bytes + 24);
		before = known;
	}
	assert_int_equal(before, AHEAD_DIRECTORIES + 1);
	assert_int_equal(read_ahead(store, 2, 1 << 20, true), 0);
	store_close(store);
}

static bool has_rows_below(struct store *store, const char *path)
{
	bool has_rows;

	check(store_has_rows_below(store, &scope, (struct bytes){path, strlen(path)}, &has_rows,
				   &error));
	return has_rows;
}

/* Directories of the index, each with its own bit. */
static const char *const paths[] = {"/", "/a", "/a/b", "/a/b/c", "/ab", "/a.b", "/a0", "/b/a"};
#define PATHS (sizeof paths / sizeof *paths)

static unsigned below(struct store *store, const char *root)
{
	struct known_directories directories;
	struct known_directory known;
	unsigned seen = 0;
	int status;

	check(known_directories_begin(&directories, store, &scope,
				      (struct bytes){root, strlen(root)}, &error));
	while ((status = known_directories_next(&directories, &known, &error)) == 1) {
		uint8_t expected[DIRECTORY_HASH_SIZE];
		directory_hash(known.path, expected);
		assert_memory_equal(known.hash, expected, DIRECTORY_HASH_SIZE);
		for (unsigned i = 0; i < PATHS; i++)
			if (strlen(paths[i]) == known.path.size &&
			    memcmp(paths[i], known.path.data, known.path.size) == 0)
				seen |= 1u << i;
	}
	check(status);
	known_directories_end(&directories);
	return seen;
}

static void removal_takes_what_is_named_and_no_more(void **state)
{
	struct store *store = engine_fresh_store();
	struct directory_row directories[PATHS];
	const struct file_row *pointers[PATHS * 2];
	struct file_row rows[PATHS * 2];
	struct store_batch batch = {.directories = directories,
				    .directory_count = PATHS,
				    .rows = pointers,
				    .row_count = PATHS * 2};
	struct readback *back;
	uint8_t gone[PATH_HASH_SIZE];
	int64_t removed;

	(void)state;
	for (size_t i = 0; i < PATHS; i++) {
		directories[i].path = (struct bytes){paths[i], strlen(paths[i])};
		directory_hash(directories[i].path, directories[i].hash);
		rows[2 * i] = engine_row(paths[i], "x", i);
		rows[2 * i + 1] = engine_row(paths[i], "y", i);
		pointers[2 * i] = &rows[2 * i];
		pointers[2 * i + 1] = &rows[2 * i + 1];
	}
	check(store_write(store, &scope, &batch, &removed, &error));
	/* Repeating it is not an error. */
	check(store_write(store, &scope, &batch, &removed, &error));
	assert_int_equal(below(store, "/"), 0xfe);
	assert_int_equal(below(store, "/a"), 1u << 2 | 1u << 3);
	assert_int_equal(below(store, "/a/b/c"), 0);
	assert_true(has_rows_below(store, ""));
	assert_true(has_rows_below(store, "/b"));
	assert_true(has_rows_below(store, "/a/b/c"));
	assert_false(has_rows_below(store, "/a/b/c/d"));
	assert_false(has_rows_below(store, "/a/"));

	memcpy(gone, rows[2 * 4].path_hash, sizeof gone); /* /ab/x */
	batch = (struct store_batch){.removed_directories =
					     (const uint8_t(*)[DIRECTORY_HASH_SIZE]) &
					     directories[1].hash,
				     /* /a, without everything below it */
				     .removed_directory_count = 1,
				     .removed_files = (const uint8_t(*)[PATH_HASH_SIZE]) & gone,
				     .removed_file_count = 1};
	check(store_write(store, &scope, &batch, &removed, &error));
	assert_int_equal(removed, 3);
	assert_int_equal(below(store, "/"), 0xfe & ~(1u << 1));
	back = read_back(store, SIMHASH_SKEW, INT64_MIN, INT64_MAX);
	assert_int_equal(back->count, PATHS * 2 - 3);
	forget(back);
	store_close(store);
}

static void a_failed_batch_leaves_nothing(void **state)
{
	struct store *store = engine_fresh_store();
	struct file_row good = engine_row("/g", "good", 1), bad = engine_row("/g", "bad", 2);
	const struct file_row *pointers[] = {&good, &bad};
	struct store_batch batch = {.rows = pointers, .row_count = 2};
	struct readback *back;
	int64_t removed;
	/* Too long for the column, or for any value in SQLite, which only checks the size. */
	size_t size = strcmp(getenv("TEST_ENGINE"), "mysql") == 0 ? 2000 : 2000000000;
	char *too_long = calloc(1, size);

	(void)state;
	if (too_long == NULL)
		fail_msg("no memory for the test");
	bad.name = (struct bytes){too_long, size};
	assert_int_equal(store_write(store, &scope, &batch, &removed, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_DATABASE);
	free(too_long);
	back = read_back(store, SIMHASH_SKEW, INT64_MIN, INT64_MAX);
	assert_int_equal(back->count, 0);
	forget(back);
	store_close(store);
}

static void names_get_ids_that_stay(void **state)
{
	struct store *store = engine_fresh_store(), *other;
	int64_t alpha, beta, again, missing;
	struct name_list hosts;

	(void)state;
	check(store_host_id(store, "nobody", false, &missing, &error));
	assert_int_equal(missing, 0);
	check(store_host_id(store, "alpha", true, &alpha, &error));
	other = engine_open_store(OPEN_TO_WRITE);
	check(store_host_id(other, "beta", true, &beta, &error));
	check(store_host_id(other, "alpha", true, &again, &error));
	store_close(other);
	assert_true(alpha > 0 && beta > 0 && alpha != beta);
	assert_int_equal(again, alpha);
	check(store_read_hosts(store, &hosts, &error));
	assert_int_equal(hosts.count, 2);
	assert_string_equal(hosts.names[0].text.data, "alpha");
	assert_string_equal(name_list_find(&hosts, beta)->text.data, "beta");
	assert_null(name_list_find(&hosts, alpha + beta));
	assert_int_equal(name_list_id(&hosts, "beta"), beta);
	assert_int_equal(name_list_id(&hosts, "bet"), 0);
	name_list_release(&hosts);
	store_close(store);
}

static void tag_sets_are_known_by_their_tags(void **state)
{
	struct store *store = engine_fresh_store();
	struct simhash_tag_set *one = tag_set("one", 0), *twin = tag_set("twin", 0);
	struct simhash_tag_set *two = tag_set("two", 1), *thief = tag_set("one", 2);
	int64_t one_id, twin_id, two_id, id;

	(void)state;
	check(store_tag_set_id(store, one, false, &id, &error));
	assert_int_equal(id, 0);
	check(store_tag_set_id(store, one, true, &one_id, &error));
	check(store_tag_set_id(store, twin, true, &twin_id, &error));
	check(store_tag_set_id(store, two, true, &two_id, &error));
	assert_int_equal(one_id, twin_id);
	assert_int_not_equal(one_id, two_id);
	check(store_tag_set_id(store, thief, false, &id, &error));
	assert_int_equal(id, 0);
	assert_int_equal(store_tag_set_id(store, thief, true, &id, &error), -1);
	assert_int_equal(error.code, SIMHASH_E_RANGE);
	assert_non_null(strstr(error.message, "'one'"));
	simhash_tag_set_free(one);
	simhash_tag_set_free(twin);
	simhash_tag_set_free(two);
	simhash_tag_set_free(thief);
	store_close(store);
}

static void runs_get_ids_and_are_completed(void **state)
{
	struct store *store = engine_fresh_store();
	struct scan_run first = {.root = {"/\xff", 2}, .started_at_ns = 5};
	struct scan_run again = first, second = first;
	struct scan_run_list runs;

	(void)state;
	second.started_at_ns++;
	check(store_run_start(store, &scope, &first, &error));
	check(store_run_start(store, &scope, &second, &error));
	assert_int_not_equal(first.id, second.id);
	/* Simulates that the answer to the first attempt was lost. */
	check(store_run_start(store, &scope, &again, &error));
	assert_int_equal(first.id, again.id);
	first.finished_at_ns = 6;
	first.bytes = INT64_MAX;
	check(store_run_finish(store, &first, &error));
	check(store_read_runs(store, &runs, &error));
	assert_int_equal(runs.count, 2);
	assert_int_equal(runs.runs[0].id, first.id);
	assert_int_equal(runs.runs[0].scope.host, scope.host);
	assert_bytes(runs.runs[0].root, first.root);
	assert_int_equal(runs.runs[0].finished_at_ns, 6);
	assert_int_equal(runs.runs[0].bytes, INT64_MAX);
	assert_int_equal(runs.runs[1].started_at_ns, 6);
	assert_int_equal(runs.runs[1].finished_at_ns, 0);
	scan_run_list_release(&runs);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(open_makes_an_index_that_opens_again),
		cmocka_unit_test(rows_come_back_to_the_last_bit),
		cmocka_unit_test(keys_are_read_in_order_and_by_range),
		cmocka_unit_test(a_stream_can_end_before_its_last_row),
		cmocka_unit_test(whole_rows_are_read_in_parts),
		cmocka_unit_test(a_row_written_again_is_replaced),
		cmocka_unit_test(a_directory_is_read_alone_and_in_hash_order),
		cmocka_unit_test(rows_read_ahead_are_those_of_each_directory),
		cmocka_unit_test(removal_takes_what_is_named_and_no_more),
		cmocka_unit_test(a_failed_batch_leaves_nothing),
		cmocka_unit_test(names_get_ids_that_stay),
		cmocka_unit_test(tag_sets_are_known_by_their_tags),
		cmocka_unit_test(runs_get_ids_and_are_completed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

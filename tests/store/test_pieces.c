/*
 * Tests the pieces of contents in an index on each engine: once for each content, and no longer than
 * the last file with the content.
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

#include "engine.h"
#include "store/open/connection.h"
#include "store/open/store.h"
#include "store/rows/known_file.h"
#include "store/rows/piece_rows.h"
#include "store/write/batch.h"

static struct simhash_error error;
static const struct row_scope scope = {1, 1}, other_host = {1, 2}, other_tags = {2, 1};

static void check(int status)
{
	if (status != 0)
		fail_msg("%s", error.message);
}

/* The stored form of a few pieces that depend on the content; or of very many pieces. */
static struct row_sketches *pieces_of(int content)
{
	size_t count = content == 1000 ? PIECES_MAX : 20;
	uint64_t *values = malloc(count * sizeof *values);
	struct content_pieces pieces = {.level = 4, .count = count, .values = values};
	struct row_sketches *sketches = row_sketches_new(PIECES_STORED_MAX(count));

	for (size_t i = 0; i < count; i++)
		values[i] = i * 1000003 + (uint64_t)(content < 0 ? 500 - content : content);
	sketches->pieces = (struct bytes){(char *)sketches->bytes,
					  content_pieces_store(&pieces, sketches->bytes)};
	free(values);
	return sketches;
}

/* A file with a content, which has pieces unless it is 0; -n: the text of a document n. */
static struct file_row file_of(const char *directory, const char *name, int content)
{
	struct file_row row = engine_row(directory, name, (uint64_t)abs(content));

	row.pieces_made = 1;
	if (content != 0)
		row.sketches = pieces_of(content);
	if (content < 0)
		row.contents = CONTENTS_IS_TEXT;
	return row;
}

static void write_files(struct store *store, const struct row_scope *to, struct file_row *files,
			size_t count)
{
	const struct file_row *pointers[2000];
	struct store_batch batch = {.rows = pointers, .row_count = count};
	int64_t removed;

	for (size_t i = 0; i < count; i++)
		pointers[i] = &files[i];
	check(store_write(store, to, &batch, &removed, &error));
	for (size_t i = 0; i < count; i++)
		row_sketches_drop(files[i].sketches);
}

static void write_file(struct store *store, const struct row_scope *to, const char *name,
		       int content)
{
	struct file_row file = file_of("/d", name, content);

	write_files(store, to, &file, 1);
}

static void remove_file(struct store *store, const struct row_scope *from, const char *name)
{
	struct file_row file = engine_row("/d", name, 0);
	struct store_batch batch = {.removed_files = (const uint8_t(*)[PATH_HASH_SIZE]) &
						     file.path_hash,
				    .removed_file_count = 1};
	int64_t removed;

	check(store_write(store, from, &batch, &removed, &error));
	assert_int_equal(removed, 1);
}

static void expect_row(const struct piece_row *row, int content)
{
	uint64_t *values = malloc(PIECES_MAX * sizeof *values);
	struct row_sketches *expected = pieces_of(content);
	struct content_pieces pieces;

	assert_int_equal(row->value.size, expected->pieces.size);
	assert_memory_equal(row->value.data, expected->pieces.data, row->value.size);
	assert_true(piece_row_load(row, values, &pieces));
	assert_int_equal(pieces.count, content == 1000 ? PIECES_MAX : 20);
	row_sketches_drop(expected);
	free(values);
}

static int find(struct store *store, int64_t tag_set, int content)
{
	struct file_row file = engine_row("/d", "x", (uint64_t)abs(content));
	struct piece_row row;
	struct query query;
	int status;

	file.contents = content < 0 ? CONTENTS_IS_TEXT : 0;
	piece_row_of(&file, &row);
	status = piece_rows_find(&query, store, tag_set, &row, &error);
	if (status < 0)
		fail_msg("%s", error.message);
	if (status == 1) {
		expect_row(&row, content);
		piece_rows_end(&query);
	}
	return status;
}

static int count_rows(struct store *store, int64_t tag_set)
{
	struct piece_row row;
	struct query query;
	int count = 0, status;

	check(piece_rows_begin(&query, store, tag_set, &error));
	while ((status = piece_rows_next(&query, &row, &error)) == 1)
		count++;
	check(status);
	piece_rows_end(&query);
	return count;
}

static void contents_have_one_row_each(void **state)
{
	enum { FILES = 1500, CONTENTS = 700 };
	static struct file_row files[FILES];
	static char names[FILES][8];
	struct store *store = engine_fresh_store();

	(void)state;
	for (int i = 0; i < FILES; i++) {
		snprintf(names[i], sizeof names[i], "%d", i);
		files[i] = file_of("/d", names[i], i % CONTENTS + 1);
	}
	write_files(store, &scope, files, FILES);
	assert_int_equal(count_rows(store, 1), CONTENTS);
	assert_int_equal(count_rows(store, 2), 0);
	for (int content = 1; content <= CONTENTS; content += 30)
		assert_int_equal(find(store, 1, content), 1);
	/* Another tag set has its own rows, and another host does not. */
	write_file(store, &other_host, "a", 1);
	write_file(store, &other_tags, "a", 1);
	assert_int_equal(count_rows(store, 1), CONTENTS);
	assert_int_equal(count_rows(store, 2), 1);
	store_close(store);
}

static void a_row_can_be_large(void **state)
{
	struct store *store = engine_fresh_store();

	(void)state;
	write_file(store, &scope, "a", 1000);
	assert_int_equal(find(store, 1, 1000), 1);
	assert_int_equal(find(store, 1, 999), 0);
	store_close(store);
}

static void a_text_and_its_document_have_two_rows(void **state)
{
	struct store *store = engine_fresh_store();

	(void)state;
	write_file(store, &scope, "document", 5);
	write_file(store, &scope, "document//text", -5);
	assert_int_equal(count_rows(store, 1), 2);
	assert_int_equal(find(store, 1, 5), 1);
	assert_int_equal(find(store, 1, -5), 1);
	store_close(store);
}

static void the_row_goes_with_the_last_file(void **state)
{
	struct store *store = engine_fresh_store();

	(void)state;
	write_file(store, &scope, "a", 1);
	write_file(store, &scope, "b", 1);
	write_file(store, &other_host, "c", 1);
	write_file(store, &scope, "d", 2);
	/* New content: the old one remains as long as a file has it. */
	write_file(store, &scope, "a", 3);
	assert_int_equal(count_rows(store, 1), 3);
	write_file(store, &scope, "d", 4);
	assert_int_equal(find(store, 1, 2), 0);
	assert_int_equal(count_rows(store, 1), 3);
	remove_file(store, &scope, "b");
	assert_int_equal(find(store, 1, 1), 1);
	remove_file(store, &other_host, "c");
	assert_int_equal(find(store, 1, 1), 0);
	remove_file(store, &scope, "a");
	remove_file(store, &scope, "d");
	assert_int_equal(count_rows(store, 1), 0);
	store_close(store);
}

/* The file leaves its directory in the transaction that writes it at its new path. */
static void a_moved_file_keeps_its_row(void **state)
{
	struct store *store = engine_fresh_store();
	struct file_row old = engine_row("/d", "a", 0), moved;
	const struct file_row *pointer = &moved;
	struct store_batch batch = {.left_files = (const uint8_t(*)[PATH_HASH_SIZE]) &
						  old.path_hash,
				    .left_file_count = 1,
				    .rows = &pointer,
				    .row_count = 1};
	int64_t removed;

	(void)state;
	write_file(store, &scope, "a", 7);
	moved = engine_row("/e", "a", 7);
	moved.pieces_made = 1;
	check(store_write(store, &scope, &batch, &removed, &error));
	assert_int_equal(find(store, 1, 7), 1);
	store_close(store);
}

static void the_rows_go_with_a_directory(void **state)
{
	struct store *store = engine_fresh_store();
	struct file_row files[] = {file_of("/d", "a", 1), file_of("/d", "b", 2),
				   file_of("/e", "c", 2)};
	uint8_t hash[1][DIRECTORY_HASH_SIZE];
	struct store_batch batch = {.removed_directories =
					    (const uint8_t(*)[DIRECTORY_HASH_SIZE])hash,
				    .removed_directory_count = 1};
	int64_t removed;

	(void)state;
	write_files(store, &scope, files, 3);
	directory_hash((struct bytes){"/d", 2}, hash[0]);
	check(store_write(store, &scope, &batch, &removed, &error));
	assert_int_equal(removed, 2);
	assert_int_equal(find(store, 1, 1), 0);
	assert_int_equal(find(store, 1, 2), 1);
	store_close(store);
}

/* A damaged row is left out, and the others are read. */
static void a_damaged_row_is_left_out(void **state)
{
	struct store *store = engine_fresh_store();
	struct query query;

	(void)state;
	write_file(store, &scope, "a", 1);
	write_file(store, &scope, "b", 2);
	check(query_begin(&query, store, "UPDATE pieces SET content_hash = ? WHERE size = 1001",
			  &error));
	query_bind_data(&query, "abc", 3);
	check(query_run(&query, &error));
	assert_in_range(count_rows(store, 1), 1, 2); /* a server appends zeros to a short hash */
	store_close(store);
}

static void only_a_run_that_wants_pieces_notices_that_a_file_lacks_them(void **state)
{
	struct store *store = engine_fresh_store();
	struct file_row file = engine_row("/d", "a", 5000);
	struct known_file known;
	bool found;

	(void)state;
	file.has_resemblance = true;
	write_files(store, &scope, &file, 1);
	check(store_find_file(store, &scope, file.path_hash, &known, &found, &error));
	assert_true(found && !known.lacks_resemblance);
	store_close(store);

	store = engine_open_store(OPEN_TO_WRITE);
	store_want_pieces(store);
	check(store_find_file(store, &scope, file.path_hash, &known, &found, &error));
	assert_true(found && known.lacks_resemblance);
	file.pieces_made = 1;
	file.sketches = NULL;
	write_files(store, &scope, &file, 1);
	check(store_find_file(store, &scope, file.path_hash, &known, &found, &error));
	assert_true(found && !known.lacks_resemblance);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contents_have_one_row_each),
		cmocka_unit_test(a_row_can_be_large),
		cmocka_unit_test(a_text_and_its_document_have_two_rows),
		cmocka_unit_test(the_row_goes_with_the_last_file),
		cmocka_unit_test(a_moved_file_keeps_its_row),
		cmocka_unit_test(the_rows_go_with_a_directory),
		cmocka_unit_test(a_damaged_row_is_left_out),
		cmocka_unit_test(only_a_run_that_wants_pieces_notices_that_a_file_lacks_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

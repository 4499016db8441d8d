/*
 * Compares the parts that a search for requested files finds by pieces with brute force, and checks
 * that it finds the rows of these contents. Pieces of all levels are shared by about four fifths.
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
#include "find/query/queried_proposals.h"
#include "random_rows.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/write/batch.h"

#define CONTENTS 200
#define FILES 60
#define PIECES 600
#define BITS 48

struct pieces {
	unsigned level;
	size_t count;
	uint64_t values[PIECES];
};

static struct pieces contents[CONTENTS], files[FILES][2];
static int64_t sizes[CONTENTS];
static uint8_t hashes[CONTENTS][PATH_HASH_SIZE];

static int compare_values(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Sort, and drop repeated values and values that the level does not have. */
static void settle(struct pieces *pieces)
{
	size_t kept = 0;

	qsort(pieces->values, pieces->count, sizeof *pieces->values, compare_values);
	for (size_t i = 0; i < pieces->count; i++)
		if (pieces->values[i] < UINT64_C(1) << (BITS - pieces->level) &&
		    (kept == 0 || pieces->values[i] != pieces->values[kept - 1]))
			pieces->values[kept++] = pieces->values[i];
	pieces->count = kept;
}

static void add_random(struct pieces *pieces, size_t count)
{
	for (; count > 0 && pieces->count < PIECES; count--)
		pieces->values[pieces->count++] =
			random_below(UINT64_C(1) << (BITS - pieces->level));
}

static unsigned random_level(void)
{
	static const unsigned levels[] = {3, 6, 7, 8, 8, 8, 12};

	return levels[random_below(sizeof levels / sizeof *levels)];
}

/* A content that has some pieces of a file, and others. */
static void make_content(struct pieces *content, const struct pieces *file)
{
	static const uint64_t percents[] = {0, 70, 78, 80, 82, 90, 100};
	uint64_t percent = percents[random_below(sizeof percents / sizeof *percents)];

	*content = (struct pieces){.level = random_level()};
	for (size_t i = 0; i < file->count; i++)
		if (random_below(100) < percent)
			content->values[content->count++] = file->values[i];
	add_random(content, random_below(3) == 0 ? random_below(300) : random_below(8));
	settle(content);
}

static void make_pieces(void)
{
	for (int i = 0; i < FILES; i++)
		for (int form = 0; form < 2; form++) {
			struct pieces *file = &files[i][form];
			*file = (struct pieces){.level = random_below(2) == 0 ? 6 : 8};
			if (form == 0 || i % 3 == 0)
				add_random(file, random_below(2) == 0 ? random_below(20)
								      : random_below(250));
			settle(file);
		}
	for (int i = 0; i < CONTENTS; i++)
		make_content(&contents[i], &files[random_below(FILES)][random_below(2)]);
}

/* ---- Brute force ---- */

static double share(const struct pieces *x, const struct pieces *y, double least)
{
	unsigned level = x->level > y->level ? x->level : y->level;
	size_t count = 0, shared = 0;

	for (size_t i = 0; i < x->count && x->values[i] < UINT64_C(1) << (BITS - level); i++) {
		count++;
		for (size_t k = 0; k < y->count; k++)
			shared += x->values[i] == y->values[k];
	}
	return count < 5 || (count < 8 && shared < count) || (double)shared < least * (double)count
		       ? 0
		       : (double)shared / (double)count;
}

static double larger(double x, double y)
{
	return x > y ? x : y;
}

/* ---- The index ---- */

static struct row_sketches *stored(const struct pieces *pieces)
{
	const struct content_pieces content = {pieces->level, pieces->count, pieces->values};
	struct row_sketches *sketches = row_sketches_new(PIECES_STORED_MAX(PIECES));

	sketches->pieces = (struct bytes){(char *)sketches->bytes,
					  content_pieces_store(&content, sketches->bytes)};
	return sketches;
}

static struct store *store_with_contents(struct row_scope *scope)
{
	static struct file_row file_rows[CONTENTS];
	static char file_names[CONTENTS][8];
	static const char *const hosts[] = {"there", "here"};
	const struct file_row *pointers[CONTENTS];
	struct store *store = engine_fresh_store();
	int64_t removed;

	assert_int_equal(store_tag_set_id(store, sample, true, &scope->tag_set, &error), 0);
	for (int i = 0; i < CONTENTS; i++) {
		struct file_row *row = &file_rows[i];
		snprintf(file_names[i], sizeof file_names[i], "%d", i);
		*row = engine_row("/d", file_names[i], (uint64_t)i * 997 + 1);
		row->size_bytes = sizes[i] = (int64_t)random_below(CONTENTS / 2) + 5000;
		row->pieces_made = 1;
		row->sketches = stored(&contents[i]);
		memcpy(hashes[i], row->path_hash, PATH_HASH_SIZE);
		pointers[i] = row;
	}
	for (int h = 0; h < 2; h++) {
		struct store_batch batch = {.rows = pointers + h * (CONTENTS / 2),
					    .row_count = CONTENTS / 2};
		assert_int_equal(store_host_id(store, hosts[h], true, &scope->host, &error), 0);
		if (store_write(store, scope, &batch, &removed, &error) != 0)
			fail_msg("%s", error.message);
	}
	for (int i = 0; i < CONTENTS; i++)
		row_sketches_drop(file_rows[i].sketches);
	return store;
}

/* ---- The search ---- */

static const struct queried_part *part_of(const struct queried_parts *parts, int content, int file)
{
	struct find_file row = {.size_bytes = sizes[content]};
	struct file_row like = engine_row("/d", "", (uint64_t)content * 997 + 1);
	const struct queried_part *end, *part;

	memcpy(row.content_hash, like.content_hash, CONTENT_HASH_SIZE);
	for (part = queried_parts_of(parts, &row, &end); part < end; part++)
		if (part->reach == (uint32_t)file)
			return part;
	return NULL;
}

static bool has_key(const struct queried_keys *keys, int content)
{
	for (size_t i = 0; i < keys->count; i++)
		if (memcmp(keys->keys[i].row.path_hash, hashes[content], PATH_HASH_SIZE) == 0)
			return true;
	return false;
}

/* Compare with the files from `first` on. Returns the number of parts. */
static unsigned compare_files(const struct queried_parts *parts, const struct queried_keys *keys,
			      int first, int count, double least)
{
	unsigned expected = 0;

	for (int f = 0; f < count; f++)
		for (int c = 0; c < CONTENTS; c++) {
			const struct pieces *x = files[first + f], *y = &contents[c];
			double in_content = larger(share(&x[0], y, least), share(&x[1], y, least));
			double in_file = larger(share(y, &x[0], least), share(y, &x[1], least));
			const struct queried_part *part = part_of(parts, c, f);
			if ((in_content > 0 || in_file > 0) != (part != NULL))
				fail_msg("file %d and content %d: %f and %f", first + f, c,
					 in_content, in_file);
			if (part == NULL)
				continue;
			expected++;
			assert_true(part->in_content == in_content && part->in_queried == in_file);
			assert_true(has_key(keys, c));
		}
	assert_int_equal(parts->count, expected);
	return expected;
}

static unsigned search(struct store **stores, unsigned store_count, int64_t tag_set, int first,
		       int count, double least)
{
	const struct find_stores connections = {stores, store_count};
	struct find_sink no_sink = {.context = NULL};
	struct find_resources resources = {.threads = store_count};
	struct queried_file queried[FILES] = {{.sketches = NULL}};
	struct queried_reach reaches[FILES];
	struct row_sketches *others[FILES];
	struct queried_parts parts = {.items = NULL};
	struct queried_keys keys = {.keys = NULL};
	struct find_request request;
	struct finder finder;
	uint64_t compared = 0;
	unsigned found_parts;

	find_request_init(&request);
	request.tags = sample;
	request.host = "here";
	request.rule.verify.min_resemblance = least > 0.8 ? least : GRADED;
	assert_int_equal(finder_init(&finder, stores[0], &request, &no_sink, &resources, &error),
			 0);
	assert_int_equal(finder.tag_set, tag_set);
	for (int i = 0; i < count; i++) {
		others[i] = stored(&files[first + i][1]);
		queried[i].sketches = stored(&files[first + i][0]);
		queried[i].other_pieces = others[i]->pieces;
		reaches[i] = (struct queried_reach){.queried = &queried[i]};
	}
	if (queried_proposals_find(reaches, (size_t)count, &finder, &connections, 1 << 20, &parts,
				   &keys, &compared, &error) != 1)
		fail_msg("%s", error.message);
	found_parts = compare_files(&parts, &keys, first, count, least);
	for (int i = 0; i < count; i++) {
		row_sketches_drop(queried[i].sketches);
		row_sketches_drop(others[i]);
	}
	queried_parts_release(&parts);
	queried_keys_release(&keys);
	finder_release(&finder);
	rule_release(&request.rule);
	return found_parts;
}

static void parts_equal_brute_force(void **state)
{
	unsigned parts = 0;

	(void)state;
	for (unsigned round = 0; round < (IS_SLOW ? 1 : 4); round++) {
		struct store *stores[2];
		struct row_scope scope;
		make_pieces();
		stores[0] = store_with_contents(&scope);
		stores[1] = engine_open_store(OPEN_TO_READ);
		for (int first = 0; first < FILES; first++)
			parts += search(stores, first % 2 == 0 ? 1 : 2, scope.tag_set, first, 1,
					first % 3 == 0 ? 0.9 : 0.8);
		parts += search(stores, 2, scope.tag_set, 0, FILES, 0.8);
		store_close(stores[1]);
		store_close(stores[0]);
	}
	assert_true(parts > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(parts_equal_brute_force)};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}

/*
 * Makes random rows, an index that contains them, and the pairs found in it.
 * SPDX-License-Identifier: MIT
 */
#include "random_rows.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/write/batch.h"

struct simhash_error error;
struct simhash_tag_set *sample;
struct file_row rows[ROWS];
char names[ROWS][24];
bool found[ROWS][ROWS];
wide distances[ROWS][ROWS];
size_t repeated;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t random_state = 11;

uint64_t random_below(uint64_t limit)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return limit == 0 ? 0 : (random_state >> 20) % limit;
}

static const char *const extensions[] = {"", ".txt", ".ps", ".TXT", ".text"};

void name_row(int i)
{
	snprintf(names[i], sizeof names[i], "%d%s", i, extensions[random_below(5)]);
}

void complete_row(int i)
{
	uint8_t directory[DIRECTORY_HASH_SIZE];

	rows[i].name = (struct bytes){names[i], strlen(names[i])};
	rows[i].directory = (struct bytes){i % 3 == 0	? "/f/g"
					   : i % 3 == 1 ? "/f"
							: "/fg",
					   i % 3 == 0	? 4
					   : i % 3 == 1 ? 2
							: 3};
	directory_hash(rows[i].directory, directory);
	path_hash(directory, rows[i].name, rows[i].path_hash);
	simhash_keys_compute(sample, &rows[i].table, names[i], strlen(names[i]), &rows[i].keys);
}

void random_counts(struct file_row *row, uint64_t share)
{
	for (int t = 0; t < SIMHASH_TAGS; t++)
		row->table.count[t] = random_below((uint64_t)row->size_bytes / share + 1);
}

void change_counts(struct file_row *row, uint64_t share)
{
	for (uint64_t n = random_below(6); n > 0; n--) {
		uint64_t *count = &row->table.count[random_below(SIMHASH_TAGS)];
		uint64_t change = random_below(1 + (uint64_t)row->size_bytes / share);
		*count = *count > change ? *count - change : change / 2;
	}
}

void change_sketch(struct file_row *row, uint64_t changes)
{
	for (; changes > 0; changes--)
		row->resemblance.registers[random_below(REGISTERS)] = (uint8_t)random_below(256);
}

/* For a small file, some registers are empty, or almost all. */
void random_sketch(struct file_row *row)
{
	uint64_t empty = row->size_bytes >= 2000 ? 0 : row->size_bytes >= 300 ? 40 : 118;

	for (int r = 0; r < REGISTERS; r++)
		row->resemblance.registers[r] = (uint8_t)(1 + random_below(255));
	for (; empty > 0; empty--)
		row->resemblance.registers[random_below(REGISTERS)] = 0;
}

void set_content(struct file_row *row, uint64_t number)
{
	memcpy(row->content_hash, &number, sizeof number);
}

void set_text(struct file_row *row, int64_t size, uint64_t hash)
{
	for (int i = 0; i < 8; i++) {
		row->resemblance.text[i] = (uint8_t)((uint64_t)size >> (56 - 8 * i));
		row->resemblance.text[8 + i] = (uint8_t)(hash >> (56 - 8 * i));
	}
}

int64_t text_size(const struct file_row *row)
{
	int64_t size = 0;

	for (int i = 0; i < 8; i++)
		size = size << 8 | row->resemblance.text[i];
	return size == 0 ? row->size_bytes : size;
}

/* ---- The rule ---- */

wide apart(wide a, wide b)
{
	return a > b ? a - b : b - a;
}

bool within(wide x, wide tolerance, wide twice)
{
	return x <= 1 || x <= tolerance * twice / 200000000;
}

int64_t tolerance_of(const struct find_rule *rule, const struct file_row *row)
{
	const char *dot = strrchr(row->name.data, '.');

	return rule->extension_count > 0 && dot != NULL && strcmp(dot, ".ps") == 0
		       ? 50000
		       : rule->tolerance.percent_millionths;
}

bool same_extension(const struct file_row *x, const struct file_row *y)
{
	return simhash_extension_hash(x->name.data, x->name.size) ==
	       simhash_extension_hash(y->name.data, y->name.size);
}

static void compute_distances(void)
{
	for (int a = 0; a < ROWS; a++)
		for (int b = 0; b < ROWS; b++) {
			distances[a][b] = 0;
			for (int t = 0; t < SIMHASH_TAGS; t++)
				distances[a][b] += apart((wide)rows[a].table.count[t],
							 (wide)rows[b].table.count[t]);
		}
}

/* ---- Results ---- */

int number_of(const struct find_file *file)
{
	return atoi(strrchr(file->display, '/') + 1);
}

bool same_content(int a, int b)
{
	return rows[a].size_bytes == rows[b].size_bytes &&
	       memcmp(rows[a].content_hash, rows[b].content_hash, CONTENT_HASH_SIZE) == 0;
}

bool is_name_of(int a, int b)
{
	const struct file_row *x = &rows[a], *y = &rows[b];

	return x->inode != 0 && x->inode == y->inode && x->device == y->device &&
	       x->mtime_ns == y->mtime_ns && same_content(a, b);
}

static int note_pair(void *context, unsigned thread, const struct file_pair *pair,
		     struct simhash_error *ignored)
{
	int a = number_of(pair->a), b = number_of(pair->b);

	(void)context;
	(void)ignored;
	assert_true(thread < 3);
	assert_true(strcmp(pair->a->display, pair->b->display) < 0);
	assert_int_equal(pair->relation.is_identical,
			 pair->relation.distance == 0 && same_content(a, b));
	pthread_mutex_lock(&lock);
	repeated += found[a][b] || found[b][a];
	found[a][b] = true;
	found[b][a] = true;
	pthread_mutex_unlock(&lock);
	return 0;
}

const struct find_sink sink = {.pair = note_pair};

struct store *store_with_rows(void)
{
	static const struct file_row *pointers[ROWS];
	struct store_batch batch = {.rows = pointers, .row_count = ROWS};
	struct store *store = engine_fresh_store();
	struct row_scope scope;
	int64_t removed;

	compute_distances();
	for (int i = 0; i < ROWS; i++)
		pointers[i] = &rows[i];
	assert_int_equal(store_tag_set_id(store, sample, true, &scope.tag_set, &error), 0);
	assert_int_equal(store_host_id(store, "elsewhere", true, &scope.host, &error), 0);
	if (store_write(store, &scope, &batch, &removed, &error) != 0)
		fail_msg("%s", error.message);
	return store;
}

void find_anew(void)
{
	memset(found, 0, sizeof found);
	repeated = 0;
}

struct find_counts find_all(struct store *store, struct find_request *request,
			    const struct find_resources *resources, unsigned parts)
{
	struct find_counts counts = {0};

	find_anew();
	request->parts = parts;
	for (request->part = 0; request->part < parts; request->part++) {
		struct finder finder;
		assert_int_equal(finder_init(&finder, store, request, &sink, resources, &error), 0);
		if (finder_all(&finder, &error) != 0)
			fail_msg("%s", error.message);
		counts.rows += finder.counts.rows;
		counts.unsketched += finder.counts.unsketched;
		counts.identical += finder.counts.identical;
		counts.similar += finder.counts.similar;
		finder_release(&finder);
	}
	assert_int_equal(repeated, 0);
	return counts;
}

int set_up(void **state)
{
	(void)state;
	return simhash_tag_set_new_default(&sample, &error);
}

int tear_down(void **state)
{
	(void)state;
	simhash_tag_set_free(sample);
	return 0;
}

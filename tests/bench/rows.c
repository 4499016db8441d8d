/*
 * Makes indexes of any size that are similar to a real one, and measures reading alone.
 *
 *     rows make SOURCE TARGET COUNT [COPIES [HOSTS]]   write COUNT rows drawn from SOURCE
 *     rows read URL                                    read all rows in the order of uniform
 *
 * A row is a row of the source whose size and counts are scaled at random, so it is similar to the
 * source but not a pair with it. Instead, every fifth row is a near copy of a recent row, with up
 * to 2 % of its content changed, and every tenth row is an exact copy. Small files with the same
 * counts are also copies. In addition, COPIES percent of all rows are copies of one file. The rows
 * are divided equally among HOSTS hosts, which are written one after another.
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/basic/ascii.h"
#include "store/names/names.h"
#include "store/names/tag_sets.h"
#include "store/open/load.h"
#include "store/open/store.h"
#include "store/rows/row_reader.h"
#include "store/write/batch.h"

#define RECENT 4096
#define BATCH 16384
#define FILES_PER_DIRECTORY 40
#define SMALL 256

struct source_row {
	struct file_row row;
	char extension[12];
};

struct sources {
	struct source_row *rows;
	size_t count, room;
};

struct made_row {
	struct file_row row;
	char directory[48], name[48], extension[12];
};

static struct simhash_error error;
static uint64_t random_state = 42;

static void check(int status)
{
	if (status == 0)
		return;
	fprintf(stderr, "rows: %s\n", error.message);
	exit(1);
}

static uint64_t random_bits(void)
{
	uint64_t x = random_state += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static double random_unit(void)
{
	return (double)(random_bits() >> 11) / 9007199254740992.0;
}

static double random_normal(void)
{
	return sqrt(-2 * log(1 - random_unit())) * cos(6.283185307179586 * random_unit());
}

static void keep_source(struct sources *sources, const struct file_row *row)
{
	const char *extension;
	size_t size = simhash_extension(row->name.data, row->name.size, &extension);
	struct source_row *kept;

	if (sources->count == sources->room) {
		sources->room = sources->room * 2 + 4096;
		sources->rows = realloc(sources->rows, sources->room * sizeof *sources->rows);
		if (sources->rows == NULL)
			abort();
	}
	kept = &sources->rows[sources->count++];
	kept->row = *row;
	if (size >= sizeof kept->extension)
		size = sizeof kept->extension - 1;
	ascii_lower_copy(kept->extension, extension, size);
	kept->extension[size] = '\0';
}

/* floor(count + noise), limited to the possible counts of a file of this size. */
static uint64_t limit(double count, int64_t size)
{
	return count <= 0 ? 0 : count >= (double)size ? (uint64_t)size : (uint64_t)count;
}

/* Give each register a new value with some probability. */
static void change_sketch(struct file_row *row, double probability)
{
	row->has_resemblance = true;
	for (int i = 0; i < SIMHASH_RESEMBLANCE_REGISTERS; i++)
		if (random_unit() < probability)
			row->resemblance.registers[i] = (uint8_t)(1 + random_bits() % 255);
}

static void draw(struct made_row *made, const struct sources *sources)
{
	const struct source_row *source = &sources->rows[random_bits() % sources->count];
	double scale = exp(0.25 * random_normal());

	made->row = source->row;
	memcpy(made->extension, source->extension, sizeof made->extension);
	change_sketch(&made->row, 1);
	made->row.size_bytes = 1 + (int64_t)(scale * (double)source->row.size_bytes);
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		double count = (double)source->row.table.count[t] * scale;
		count *= exp(0.15 * random_normal());
		count += sqrt(count) * random_normal() + random_unit();
		made->row.table.count[t] = limit(count, made->row.size_bytes);
	}
}

/* Replace a share of the content by content of the same kind, and add some bytes. */
static void edit(struct made_row *made)
{
	double share = 0.02 * random_unit() * random_unit();
	int64_t grown = (int64_t)(share * random_unit() * (double)made->row.size_bytes);

	made->row.size_bytes += grown;
	change_sketch(&made->row, 8 * share);
	for (int t = 0; t < SIMHASH_TAGS; t++) {
		double count = (double)made->row.table.count[t];
		count += sqrt(2 * share * count) * random_normal();
		made->row.table.count[t] =
			limit(count + (double)grown / 32 + 0.5, made->row.size_bytes);
	}
}

static void name_row(struct made_row *made, uint64_t number)
{
	struct file_row *row = &made->row;
	char extension[sizeof made->extension];
	uint8_t hash[DIRECTORY_HASH_SIZE];

	memcpy(extension, made->extension, sizeof extension);
	snprintf(made->directory, sizeof made->directory, "/made/%03d/directory-%llu",
		 (int)(number / FILES_PER_DIRECTORY % 1000),
		 (unsigned long long)(number / FILES_PER_DIRECTORY));
	snprintf(made->name, sizeof made->name, "file-%llu%s%s", (unsigned long long)number,
		 extension[0] == '\0' ? "" : ".", extension);
	row->directory = (struct bytes){made->directory, strlen(made->directory)};
	row->name = (struct bytes){made->name, strlen(made->name)};
	row->extension = (struct bytes){made->extension, strlen(made->extension)};
	directory_hash(row->directory, hash);
	path_hash(hash, row->name, row->path_hash);
	row->device = 1;
	row->inode = (int64_t)number + 1;
}

/* There are few different small files: files of equal size and counts are equal. */
static void new_content(struct file_row *row)
{
	uint64_t hash = (uint64_t)row->size_bytes;

	for (int i = 0; i < CONTENT_HASH_SIZE; i++) {
		hash = (hash ^ row->table.count[i]) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 29;
		row->content_hash[i] = row->size_bytes < SMALL ? (uint8_t)(hash >> 32)
							       : (uint8_t)random_bits();
	}
}

/* The host of a row, and the number of the first row of the next host. */
static uint64_t enter_host(struct store *target, uint64_t row, uint64_t count, uint64_t hosts,
			   struct row_scope *scope)
{
	uint64_t each = count / (hosts == 0 ? 1 : hosts) + 1, number = row / each;
	char name[32];

	snprintf(name, sizeof name, number == 0 ? "made" : "made-%llu", (unsigned long long)number);
	check(store_host_id(target, name, true, &scope->host, &error));
	return (number + 1) * each < count ? (number + 1) * each : count;
}

static int make(const char *from, const char *to, uint64_t count, double copies, uint64_t hosts)
{
	static struct made_row recent[RECENT], one, batch_rows[BATCH];
	static const struct file_row *pointers[BATCH];
	struct simhash_tag_set *tags;
	struct store *source, *target;
	struct sources sources = {NULL, 0, 0};
	struct row_filter filter = {
		.columns = ROW_CHECKED | ROW_HOST | ROW_WHOLE, .low = INT64_MIN, .high = INT64_MAX};
	struct store_location from_where = {.url = from}, to_where = {.url = to};
	struct row_scope scope;
	struct row_cursor cursor;
	struct file_row row = {.host = 0};
	int64_t removed;
	uint64_t kept = 0, end_of_host = 0;
	int status;

	check(simhash_tag_set_new_default(&tags, &error));
	check(store_open(&from_where, OPEN_TO_READ, &source, &error));
	check(store_tag_set_id(source, tags, false, &filter.tag_set, &error));
	check(store_rows_in_order(&cursor, source, &filter, &error));
	while ((status = store_rows_next(&cursor, &row, &error)) == 1)
		keep_source(&sources, &row);
	check(status);
	store_rows_end(&cursor);
	store_close(source);
	check(store_open(&to_where, OPEN_TO_WRITE, &target, &error));
	check(store_tag_set_id(target, tags, true, &scope.tag_set, &error));
	check(store_begin_load(target, &error));
	draw(&one, &sources);
	new_content(&one.row);
	for (uint64_t done = 0; done < count;) {
		struct store_batch batch = {.rows = pointers};
		if (done == end_of_host)
			end_of_host = enter_host(target, done, count, hosts, &scope);
		for (; batch.row_count < BATCH && done < end_of_host; done++, batch.row_count++) {
			struct made_row *made = &batch_rows[batch.row_count];
			double kind = random_unit();
			bool is_copy = random_unit() * 100 < copies;
			pointers[batch.row_count] = &made->row;
			if (is_copy) {
				*made = one;
			} else if (kept > RECENT && kind < 0.3) {
				*made = recent[random_bits() % RECENT];
				if (kind < 0.2) {
					edit(made);
					new_content(&made->row);
				}
			} else {
				draw(made, &sources);
				new_content(&made->row);
			}
			name_row(made, done);
			simhash_keys_compute(tags, &made->row.table, made->name, strlen(made->name),
					     &made->row.keys);
			/* Otherwise near copies of that file would all be pairs with each other. */
			if (!is_copy)
				recent[kept++ % RECENT] = *made;
		}
		check(store_write(target, &scope, &batch, &removed, &error));
	}
	check(store_end_load(target, &error));
	store_close(target);
	free(sources.rows);
	simhash_tag_set_free(tags);
	return 0;
}

static int read_all(const char *url)
{
	struct store_location where = {.url = url};
	struct simhash_tag_set *tags;
	struct store *store;
	struct row_filter filter = {.columns = ROW_CHECKED | ROW_HOST | ROW_WHOLE,
				    .low = INT64_MIN,
				    .high = INT64_MAX,
				    .order = ORDER_BY_SORTING};
	struct row_cursor cursor;
	struct file_row row = {.host = 0};
	uint64_t count = 0;
	int status;

	check(simhash_tag_set_new_default(&tags, &error));
	check(store_open(&where, OPEN_TO_READ, &store, &error));
	check(store_tag_set_id(store, tags, false, &filter.tag_set, &error));
	check(store_rows_in_order(&cursor, store, &filter, &error));
	while ((status = store_rows_next(&cursor, &row, &error)) == 1)
		count++;
	check(status);
	store_rows_end(&cursor);
	store_close(store);
	simhash_tag_set_free(tags);
	printf("%llu rows\n", (unsigned long long)count);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 5 && argc <= 7 && strcmp(argv[1], "make") == 0)
		return make(argv[2], argv[3], strtoull(argv[4], NULL, 10),
			    argc > 5 ? strtod(argv[5], NULL) : 0,
			    argc > 6 ? strtoull(argv[6], NULL, 10) : 1);
	if (argc == 3 && strcmp(argv[1], "read") == 0)
		return read_all(argv[2]);
	fprintf(stderr, "usage: rows make SOURCE TARGET COUNT [COPIES [HOSTS]] | rows read URL\n");
	return 1;
}

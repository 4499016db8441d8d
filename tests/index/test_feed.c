/*
 * Tests that a feed passes everything to the scanners once, in its order and in batches of the
 * right size. Pushes go to a list instead, which is compared with the rules.
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

#include "index/compare/feed.h"
#include "index/work/hard_links.h"
#include "index/work/scanners.h"
#include "random.h"
#include "scan/command/filter_commands.h"
#include "scan/file/shared_scan.h"

#define STEPS 300
#define KILOBYTE INT64_C(1024)

/* A batch as expected, and as pushed. */
struct pushed {
	unsigned tasks[BATCH_TASKS], task_count; /* their numbers */
	unsigned removed[BATCH_TASKS], removed_count;
	unsigned relinked[BATCH_TASKS], relinked_count;
	int64_t bytes;
	bool is_shared, is_mark;
};

static struct pushed wanted[2 * STEPS], pushed[2 * STEPS], gathering;
static unsigned wanted_count, pushed_count, threads, seen_shared, seen_kept, seen_by_bytes;
static struct {
	int64_t bytes;
	unsigned number;
	bool is_inflated, looks_only;
} kept[2];
static unsigned kept_count, kept_max;
static struct simhash_error error;
static struct directory *inside; /* a directory in an archive, whose members move with it */
static const struct index_request no_filters = {.host = "h"},
				  filters = {.host = "h", .filters = (void *)&wanted};

void __wrap_lanes_push(struct lanes *lanes, struct lane *lane, struct batch *batch);
const struct filter_command *__wrap_filter_commands_find(const struct filter_commands *list,
							 struct bytes name);

/* A number is used as the name of a file and as the first bytes of a hash. */
static unsigned number_in(const uint8_t *hash)
{
	unsigned number;

	memcpy(&number, hash, sizeof number);
	return number;
}

static void check_task(const struct task *task, const struct batch *batch)
{
	unsigned number = number_in(task->row.path_hash);
	char name[40], own[40];

	snprintf(own, sizeof own, "%u.PDF", number);
	snprintf(name, sizeof name, task->found.is_inflated ? "%u.PDF//%u.Txt" : "%u.PDF", number,
		 number);
	assert_ptr_equal(task->batch, batch);
	assert_string_equal(task->found.name, name);
	assert_string_equal(task->found.open_name, own);
	assert_int_equal(task->row.name.size, strlen(name));
	assert_int_equal(task->row.extension.size, 3);
	assert_memory_equal(task->row.extension.data, task->found.is_inflated ? "txt" : "pdf", 3);
	assert_string_equal(task->found.directory->path,
			    task->result.is_moved && number % 2 == 0 ? inside->path : "/d");
	assert_int_equal(task->found.links, 1);
	assert_int_equal(task->known.leaves, task->result.is_moved && number % 3 == 0);
	if (task->known.leaves)
		assert_int_equal(number_in(task->known.left_hash), number + 1);
	if (task->result.is_moved) {
		assert_int_equal(task->row.content_hash[0], 42);
		assert_int_equal(task->row.links, number % 2 == 0 ? 7 : 1);
	}
}

void __wrap_lanes_push(struct lanes *lanes, struct lane *lane, struct batch *batch)
{
	struct pushed *to = &pushed[pushed_count++];

	(void)lanes, (void)lane;
	assert_true(pushed_count < 2 * STEPS);
	*to = (struct pushed){.task_count = (unsigned)batch->count,
			      .removed_count = (unsigned)batch->removed_count,
			      .relinked_count = (unsigned)batch->relinked_count,
			      .bytes = batch->size_bytes,
			      .is_shared = batch->shared != NULL,
			      .is_mark = batch->is_end_of_many};
	for (size_t i = 0; i < batch->count; i++) {
		check_task(&batch->tasks[i], batch);
		to->tasks[i] = number_in(batch->tasks[i].row.path_hash);
	}
	for (size_t i = 0; i < batch->removed_count; i++)
		to->removed[i] = number_in(batch->removed[i]);
	for (size_t i = 0; i < batch->relinked_count; i++)
		to->relinked[i] = number_in(batch->relinked[i].path_hash);
	batch_free(batch);
}

/* Every tenth file has a filter. */
static bool is_filtered(unsigned number)
{
	return number % 10 == 0;
}

const struct filter_command *__wrap_filter_commands_find(const struct filter_commands *list,
							 struct bytes name)
{
	return is_filtered((unsigned)strtoul(name.data, NULL, 10)) ? (const void *)list : NULL;
}

/* ---- The rules ---- */

static void expect_flush(void)
{
	if (gathering.task_count + gathering.removed_count + gathering.relinked_count > 0)
		wanted[wanted_count++] = gathering;
	gathering = (struct pushed){0};
}

static void expect_flush_if_full(void)
{
	seen_by_bytes += gathering.bytes >= 1024 * KILOBYTE;
	if (gathering.task_count == 64 || gathering.bytes >= 1024 * KILOBYTE ||
	    gathering.removed_count == 64 || gathering.relinked_count == 64)
		expect_flush();
}

/* A large file is alone in its batch. All other threads help with a very large plain file. */
static void expect_large(unsigned number, int64_t bytes, bool is_inflated, bool looks_only)
{
	bool is_shared = threads > 1 && bytes >= 16 * 1024 * KILOBYTE && !is_inflated &&
			 !looks_only;

	seen_shared += is_shared;
	wanted[wanted_count++] = (struct pushed){
		.tasks = {number}, .task_count = 1, .bytes = bytes, .is_shared = is_shared};
	for (unsigned i = 1; is_shared && i < threads; i++)
		wanted[wanted_count++] = (struct pushed){.is_shared = true};
}

/* The largest files are kept until the end. A larger file replaces a smaller one. */
static void expect_kept(unsigned number, int64_t bytes, bool is_inflated, bool looks_only)
{
	unsigned smallest = 0;

	for (unsigned i = 1; i < kept_count; i++)
		if (kept[i].bytes < kept[smallest].bytes)
			smallest = i;
	if (kept_count < kept_max) {
		smallest = kept_count++;
	} else if (kept_max == 0 || kept[smallest].bytes >= bytes) {
		expect_large(number, bytes, is_inflated, looks_only);
		return;
	} else {
		expect_large(kept[smallest].number, kept[smallest].bytes,
			     kept[smallest].is_inflated, kept[smallest].looks_only);
	}
	kept[smallest].bytes = bytes;
	kept[smallest].number = number;
	kept[smallest].is_inflated = is_inflated;
	kept[smallest].looks_only = looks_only;
}

static void expect_scan(const struct found_file *file, bool has_filters)
{
	unsigned number = number_in(file->path_hash);

	if (file->size_bytes >= 1024 * KILOBYTE) {
		expect_flush();
		expect_kept(number, file->size_bytes, file->is_inflated, file->looks_only);
		return;
	}
	gathering.tasks[gathering.task_count++] = number;
	gathering.bytes += file->size_bytes;
	if (has_filters && !file->is_inflated && is_filtered(number))
		expect_flush();
	else
		expect_flush_if_full();
}

/* The largest first, after a mark. */
static void expect_end(void)
{
	if (kept_count > 0)
		wanted[wanted_count++] = (struct pushed){.is_mark = true};
	while (kept_count > 0) {
		unsigned largest = 0;
		for (unsigned i = 1; i < kept_count; i++)
			if (kept[i].bytes > kept[largest].bytes)
				largest = i;
		seen_kept++;
		expect_large(kept[largest].number, kept[largest].bytes, kept[largest].is_inflated,
			     kept[largest].looks_only);
		kept[largest] = kept[--kept_count];
	}
}

/* ---- Random feeds ---- */

static struct found_file make_file(unsigned number, char name[40])
{
	/* Large files have different sizes, because the order of equal ones is undefined. */
	static const int64_t kilobytes[] = {0,	  1,	1,     300,   500,  1023,
					    1024, 2000, 16383, 16384, 20000};
	struct found_file file = {
		.name = name,
		.size_bytes = kilobytes[next_random() % 11] * KILOBYTE,
		.device = 1,
		.inode = number,
		.links = 1,
		.is_inflated = next_random() % 4 == 0,
		.looks_only = next_random() % 8 == 0,
	};

	file.size_bytes += file.size_bytes >= 1024 * KILOBYTE ? number : 0;
	file.name_size = (size_t)snprintf(name, 40, file.is_inflated ? "%u.PDF//%u.Txt" : "%u.PDF",
					  number, number);
	memcpy(file.path_hash, &number, sizeof number);
	return file;
}

static int step(struct feed *feed, struct directory *directory, unsigned number, unsigned kind)
{
	const struct file_row row = {.links = 7, .content_hash = {42}};
	const unsigned left = number + 1;
	uint8_t hash[PATH_HASH_SIZE] = {0}, left_hash[PATH_HASH_SIZE] = {0};
	struct relinked_file relinked = {.links = 3};
	char name[40];
	struct found_file file = make_file(number, name);

	memcpy(hash, &number, sizeof number);
	memcpy(left_hash, &left, sizeof left);
	memcpy(relinked.path_hash, &number, sizeof number);
	switch (kind) {
	case 0:
		expect_flush();
		feed_flush(feed);
		return 0;
	case 1:
		gathering.removed[gathering.removed_count++] = number;
		expect_flush_if_full();
		return feed_remove(feed, hash, &error);
	case 2:
		gathering.relinked[gathering.relinked_count++] = number;
		expect_flush_if_full();
		return feed_relink(feed, &relinked, &error);
	case 3: /* none of it is read, regardless of its size */
		gathering.tasks[gathering.task_count++] = number;
		expect_flush_if_full();
		return feed_move(feed, number % 2 == 0 ? inside : directory, &file, &row,
				 number % 3 == 0 ? left_hash : NULL, &error);
	default:
		expect_scan(&file, feed->scanners->request->filters != NULL);
		return feed_scan(feed, directory, &file, &error);
	}
}

static void run(struct directory *directory)
{
	atomic_bool stop = false;
	struct index_resources resources = {.threads = threads, .stop = &stop};
	struct scanners scanners = {.request = next_random() % 2 == 0 ? &no_filters : &filters,
				    .resources = &resources,
				    .links = hard_links_new()};
	struct feed feed = {.scanners = &scanners};
	/* Each kind fills batches sometimes. */
	unsigned often = (unsigned)next_random() % 5, percent = (unsigned)next_random() % 100;

	lanes_init(&scanners.lanes, 0);
	largest_init(&scanners.largest, kept_max);
	for (unsigned number = 0; number < STEPS; number++) {
		unsigned kind = next_random() % 100 < percent ? often
							      : (unsigned)next_random() % 20;
		assert_int_equal(step(&feed, directory, number, kind), 0);
	}
	expect_flush();
	feed_flush(&feed);
	feed_release(&feed);
	expect_end();
	feed_end(&scanners);
	/* After the request to stop, nothing is scanned or moved. */
	atomic_store(&stop, true);
	assert_int_equal(step(&feed, directory, 1, 3), -1);
	gathering = (struct pushed){0};
	feed_release(&feed);
	largest_release(&scanners.largest);
	lanes_release(&scanners.lanes);
	hard_links_free(scanners.links);
}

static void everything_is_handed_over_once_in_batches_of_the_right_size(void **state)
{
	struct directory *directory = directory_new_top(-1, 0, "/d");

	(void)state;
	inside = directory_new_inside(directory, bytes_of("x.zip"));
	random_begin();
	for (unsigned round = 0; round < 600; round++) {
		wanted_count = pushed_count = 0;
		threads = 1 + (unsigned)next_random() % 3;
		kept_max = (unsigned)next_random() % 3;
		run(directory);
		assert_int_equal(pushed_count, wanted_count);
		for (unsigned i = 0; i < wanted_count; i++)
			if (memcmp(&pushed[i], &wanted[i], sizeof *wanted) != 0)
				fail_msg("round %u, batch %u: %u files of %lld bytes, removed %u, "
					 "relinked %u; "
					 "expected %u of %lld, %u, %u",
					 round, i, pushed[i].task_count, (long long)pushed[i].bytes,
					 pushed[i].removed_count, pushed[i].relinked_count,
					 wanted[i].task_count, (long long)wanted[i].bytes,
					 wanted[i].removed_count, wanted[i].relinked_count);
	}
	assert_true(seen_shared > 100 && seen_kept > 100 && seen_by_bytes > 100);
	directory_drop(inside);
	directory_drop(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_is_handed_over_once_in_batches_of_the_right_size),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

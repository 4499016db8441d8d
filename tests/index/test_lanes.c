/*
 * Tests that each task of a lane comes out once and in the order of the disk, and that one thread reads
 * a disk at a time. Memory is short at random moments. disk_find is replaced.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/files/disk.h"
#include "index/work/batch.h"
#include "index/work/lanes.h"
#include "random.h"

#define BATCHES 20
#define TASKS (BATCHES * BATCH_TASKS)

static struct lanes lanes;
static unsigned failure_percent;	   /* how often memory is short */
static struct task_place expected[TASKS];  /* of the tasks that were pushed */
static bool seen[TASKS];		   /* has the task come out? */
static unsigned task_count, removed_count; /* pushed */

void __wrap_disk_find(int fd, uint64_t device, struct disk *disk);
struct batch *__wrap_batch_new(size_t capacity);
struct batch *__real_batch_new(size_t capacity);

/* Devices 1 and 2 are partitions of a rotating disk, and 3 is a server. */
void __wrap_disk_find(int fd, uint64_t device, struct disk *disk)
{
	(void)fd;
	*disk = (struct disk){device < 3 ? 100 : device, device < 3, device < 3};
}

struct batch *__wrap_batch_new(size_t capacity)
{
	return next_random() % 100 < failure_percent ? NULL : __real_batch_new(capacity);
}

/* Push a batch of random places. The size of a task is its number. */
static void push(struct lane *lane)
{
	struct batch *batch = __real_batch_new(BATCH_TASKS);
	size_t count = next_random() % BATCH_TASKS + 1;

	assert_non_null(batch);
	for (size_t i = 0; i < count; i++) {
		struct task *task = batch_add(batch);
		task->found.place = (struct task_place){next_random() % 2 + 1, next_random() % 50,
							next_random() % 9};
		task->found.size_bytes = task_count;
		expected[task_count++] = task->found.place;
	}
	if (next_random() % 3 == 0) {
		batch->removed = calloc(BATCH_TASKS, sizeof *batch->removed);
		batch->removed_count = 1;
		removed_count++;
	}
	lanes_push(&lanes, lane, batch);
}

static uint64_t order_of(const struct task_place *place)
{
	return place->device << 32 | place->offset << 16 | place->inode;
}

/* Check the tasks of a batch, and free it. Are they in order, after *last? */
static bool check(struct batch *batch, uint64_t *last)
{
	bool is_sorted = true;

	for (size_t i = 0; i < batch->count; i++) {
		const struct task *task = &batch->tasks[i];
		int64_t number = task->found.size_bytes;
		assert_in_range(number, 0, task_count - 1);
		assert_false(seen[number]);
		seen[number] = true;
		assert_ptr_equal(task->batch, batch);
		assert_memory_equal(&task->found.place, &expected[number], sizeof *expected);
		is_sorted = is_sorted && order_of(&task->found.place) >= *last;
		*last = order_of(&task->found.place);
	}
	removed_count -= (unsigned)batch->removed_count;
	lanes_leave(&lanes, batch);
	batch_free(batch);
	lanes_count_out(&lanes);
	return is_sorted;
}

static void begin(void)
{
	lanes_init(&lanes, -1);
	memset(seen, 0, sizeof seen);
	task_count = removed_count = 0;
}

static void end(void)
{
	assert_null(lanes_pop(&lanes));
	assert_int_equal(lanes.in_flight, 0);
	assert_int_equal(removed_count, 0);
	for (unsigned i = 0; i < task_count; i++)
		assert_true(seen[i]);
	lanes_release(&lanes);
}

static void tasks_come_out_once_in_the_order_of_the_disk(void **state)
{
	(void)state;
	for (failure_percent = 0; failure_percent < 100; failure_percent++) {
		struct lane *lane;
		struct batch *batch;
		uint64_t last = 0;
		bool is_sorted = true;

		begin();
		lane = lanes_find(&lanes, -1, 1);
		assert_non_null(lane);
		assert_ptr_equal(lanes_find(&lanes, -1, 2), lane);
		assert_null(lanes_find(&lanes, -1, 3));
		assert_true(lane_is_new(lane));
		lane_expect(lane, false);
		assert_false(lane_is_new(lane));
		for (unsigned i = 0; i < BATCHES; i++)
			push(lane);
		assert_true(lanes_have_files(&lanes));
		assert_false(lanes_are_reading(&lanes, 1));
		lanes_end(&lanes);
		assert_true(lanes_are_reading(&lanes, 1) && !lanes_are_reading(&lanes, 3));
		while ((batch = lanes_pop(&lanes)) != NULL)
			is_sorted = check(batch, &last) && is_sorted;
		assert_true(is_sorted || failure_percent > 0);
		assert_false(lanes_are_reading(&lanes, 1));
		end();
	}
	failure_percent = 0;
}

/* A thread that finds nothing waits, so each call here finds something. */
static void one_thread_reads_a_disk(void **state)
{
	struct batch *first, *second, *other;
	struct lane *lane;
	uint64_t last = 0;

	(void)state;
	begin();
	lane = lanes_find(&lanes, -1, 1);
	assert_true(lane_is_new(lane));
	lane_expect(lane, false);
	for (unsigned i = 0; i < BATCHES; i++)
		push(lane);
	lanes_flush(&lanes, lane);
	assert_false(lanes_are_reading(&lanes, 1));
	lanes_flush(&lanes, NULL);
	assert_true(lanes_are_reading(&lanes, 1));
	first = lanes_pop(&lanes);
	push(NULL);
	other = lanes_pop(&lanes);
	assert_null(other->lane);
	/* Another can read during a pause. */
	assert_false(lanes_pause(&lanes, other));
	assert_true(lanes_pause(&lanes, first));
	second = lanes_pop(&lanes);
	assert_ptr_equal(second->lane, lane);
	check(second, &last);
	lanes_resume(&lanes, lane);
	/* What is pushed now belongs to the next window. */
	push(lane);
	check(other, &last);
	check(first, &last);
	lanes_end(&lanes);
	while ((first = lanes_pop(&lanes)) != NULL)
		check(first, &last);
	end();
}

static void cached_files_come_in_the_order_of_the_walk(void **state)
{
	struct lane *lane;
	struct batch *batch;
	int64_t next = 0;
	uint64_t last = 0;

	(void)state;
	begin();
	lane = lanes_find(&lanes, -1, 1);
	assert_true(lane_is_new(lane));
	lane_expect(lane, false);
	for (unsigned i = 0; i < 63; i++)
		lane_note(lane, true);
	assert_false(lane_is_cached(lane));
	lane_note(lane, true);
	assert_true(lane_is_cached(lane));
	for (unsigned i = 0; i < BATCHES; i++)
		push(lane);
	lane_note(lane, false);
	assert_false(lane_is_cached(lane));
	lanes_end(&lanes);
	while ((batch = lanes_pop(&lanes)) != NULL) {
		for (size_t i = 0; i < batch->count; i++)
			assert_int_equal(batch->tasks[i].found.size_bytes, next++);
		check(batch, &last);
	}
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tasks_come_out_once_in_the_order_of_the_disk),
		cmocka_unit_test(one_thread_reads_a_disk),
		cmocka_unit_test(cached_files_come_in_the_order_of_the_walk),
	};

	random_begin();
	return cmocka_run_group_tests(tests, NULL, NULL);
}

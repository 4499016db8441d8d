/*
 * A large content that comes in pieces, of which other threads scan the most: its row is that of one
 * thread, whatever the bytes, the pieces and the number of threads.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine.h"
#include "random.h"
#include "scan/file/content.h"
#include "scan/file/crew.h"

#define UNIT FILE_SCANNER_BUFFER
#define SIZE_MAX_HERE (LED_FROM + 40 * UNIT)

static const atomic_bool never_stop;
static struct simhash_tag_set *tags;
static struct simhash_error error;
static uint8_t *bytes;

static void new_scanner(struct file_scanner *scanner, struct crew *crew)
{
	if (file_scanner_init(scanner, tags, true, &never_stop, &error) != 0)
		fail_msg("%s", error.message);
	scanner->crew = crew;
}

/* ---- The content ---- */

/* PHASES: chains of the tag 0x00, out of phase with units, so that no unit can be scanned by itself. */
enum kind { ZEROS, RANDOM, PHASES, MIXED, SEAMS, KINDS };

static void fill(enum kind kind)
{
	memset(bytes, 0, (size_t)SIZE_MAX_HERE);
	for (int64_t unit = 0; kind == PHASES && unit * UNIT < SIZE_MAX_HERE; unit++)
		bytes[unit * UNIT + 1000] = (uint8_t)(1u << unit % 8);
	for (int64_t i = 0; i < SIZE_MAX_HERE; i += 8) {
		uint64_t word = next_random();
		bool is_at_seam = i % UNIT < 32 || i % UNIT >= UNIT - 32;
		/* Some units of zeros among others; what shingles there are cross the seams. */
		if (kind == RANDOM || (kind == MIXED && i / UNIT % 3 != 0) ||
		    (kind == SEAMS && is_at_seam))
			memcpy(bytes + i, &word, sizeof word);
	}
}

/* The size of the next piece of `left` bytes. Those that are not led come as a reader fills them. */
static size_t piece_size(bool is_led, bool even, int64_t left)
{
	size_t most = left < UNIT ? (size_t)left : UNIT, some;

	if (even || !is_led)
		return most;
	some = next_random() % 4 == 0 ? 1 + next_random() % 20 : 1 + next_random() % UNIT;
	return some < most ? some : most;
}

/* Scan the first `size` bytes; whether others were asked for help. */
static bool scan(struct file_scanner *scanner, int64_t size, bool even, struct file_row *row)
{
	struct content content;
	bool was_led = false;

	*row = (struct file_row){.name = {"x.y", 3}};
	content_begin(&content, scanner, row);
	for (int64_t done = 0; done < size;) {
		size_t some = piece_size(content.is_led, even, size - done);
		memcpy(scanner->buffer, bytes + done, some);
		done += (int64_t)some;
		content_add(&content, some, done == size);
		was_led = was_led || content.is_led;
	}
	assert_int_equal(content_end(&content), SCAN_DONE);
	return was_led;
}

static void assert_same_row(const struct file_row *one, const struct file_row *other)
{
	assert_int_equal(one->size_bytes, other->size_bytes);
	assert_memory_equal(&one->table, &other->table, sizeof one->table);
	assert_memory_equal(&one->keys, &other->keys, sizeof one->keys);
	assert_memory_equal(one->content_hash, other->content_hash, CONTENT_HASH_SIZE);
	assert_int_equal(one->has_resemblance, other->has_resemblance);
	if (one->has_resemblance)
		assert_memory_equal(&one->resemblance, &other->resemblance,
				    sizeof one->resemblance);
}

/* ---- The crew ---- */

static struct crew crew;
static pthread_t helpers[4];

static void *help(void *argument)
{
	crew_help(argument);
	return NULL;
}

static void begin_crew(unsigned helping)
{
	crew_init(&crew, helping + 1);
	for (unsigned i = 0; i < helping; i++)
		assert_int_equal(pthread_create(&helpers[i], NULL, help, &crew), 0);
	while (atomic_load(&crew.idle) < helping)
		sched_yield();
}

static void end_crew(unsigned helping)
{
	crew_help(&crew);
	for (unsigned i = 0; i < helping; i++)
		pthread_join(helpers[i], NULL);
	crew_release(&crew);
}

/* ---- Tests ---- */

static void rows_are_those_of_one_thread(void **state)
{
	static const int64_t beyond[] = {
		1,	   15,	      16,	 UNIT - 1,	UNIT,
		UNIT + 14, UNIT + 15, 16 * UNIT, 17 * UNIT + 3, 40 * UNIT - 5,
	};

	(void)state;
	for (int kind = RANDOM; kind < KINDS; kind++) {
		fill((enum kind)kind);
		/* Where a sanitizer slows it, each kind has a third of the sizes. */
		for (size_t i = IS_SLOW ? (size_t)kind % 3 : 0; i < sizeof beyond / sizeof *beyond;
		     i += IS_SLOW ? 3 : 1) {
			unsigned helping = 1 + (unsigned)(i % 4);
			struct file_scanner alone, leader;
			struct file_row expected, row;
			/* All pieces for each second one; each kind has other ones. */
			bool even = (i + (size_t)kind) % 2 == 0;
			new_scanner(&alone, NULL);
			scan(&alone, LED_FROM + beyond[i], even, &expected);
			file_scanner_release(&alone);
			begin_crew(helping);
			new_scanner(&leader, &crew);
			assert_true(scan(&leader, LED_FROM + beyond[i], even, &row));
			file_scanner_release(&leader);
			end_crew(helping);
			assert_same_row(&expected, &row);
		}
	}
}

/* Of the shingles that cross one seam only some are sampled. */
static void the_first_seam_is_seen(void **state)
{
	const int64_t size = LED_FROM + 50;

	(void)state;
	fill(ZEROS);
	for (int i = 0; i < 20; i++) {
		struct simhash_resemblance_sketch expected;
		struct file_scanner leader;
		struct file_row row;
		for (int at = -15; at < 15; at++)
			bytes[LED_FROM + at] = (uint8_t)next_random();
		simhash_resemblance_sketch_compute(bytes, (size_t)size, &expected);
		begin_crew(1);
		new_scanner(&leader, &crew);
		assert_true(scan(&leader, size, i % 2 == 0, &row));
		file_scanner_release(&leader);
		end_crew(1);
		assert_memory_equal(&row.resemblance, &expected, sizeof expected);
	}
}

static void nobody_is_asked_in_vain(void **state)
{
	struct file_scanner leader;
	struct file_row row;

	(void)state;
	fill(RANDOM);
	begin_crew(1);
	new_scanner(&leader, &crew);
	assert_false(scan(&leader, LED_FROM, true, &row));
	assert_false(scan(&leader, LED_FROM - UNIT, true, &row));
	leader.no_resemblance = true;
	assert_true(scan(&leader, LED_FROM + 1, true, &row));
	assert_false(row.has_resemblance);
	file_scanner_release(&leader);
	end_crew(1);
	crew_init(&crew, 1);
	new_scanner(&leader, &crew);
	assert_false(scan(&leader, LED_FROM + UNIT, true, &row));
	file_scanner_release(&leader);
	crew_release(&crew);
}

/* A member that is damaged leaves its content, and the next one is another. */
static void what_is_left_leaves_no_trace(void **state)
{
	struct file_row expected, row, left = {.name = {"x.y", 3}};
	struct file_scanner alone, leader;

	(void)state;
	fill(MIXED);
	new_scanner(&alone, NULL);
	scan(&alone, LED_FROM + 5 * UNIT, true, &expected);
	file_scanner_release(&alone);
	begin_crew(3);
	new_scanner(&leader, &crew);
	for (int64_t units = 0; units < 30; units += 5) {
		struct content content;
		content_begin(&content, &leader, &left);
		for (int64_t done = 0; done < LED_FROM + units * UNIT; done += UNIT) {
			memcpy(leader.buffer, bytes + SIZE_MAX_HERE - done - UNIT, UNIT);
			content_add(&content, UNIT, false);
		}
		assert_true(content.is_led);
		/* Small ones, too, and the last one is left when the scanner goes. */
		if (units < 25) {
			scan(&leader, 1000 * units, true, &row);
			scan(&leader, LED_FROM + 5 * UNIT, true, &row);
			assert_same_row(&expected, &row);
		}
	}
	file_scanner_release(&leader);
	end_crew(3);
}

/* Whoever helps late scans units of a content that is gone, as that of a damaged archive is. */
static void what_is_left_can_be_freed(void **state)
{
	struct file_row row = {.name = {"x.y", 3}};
	struct content *content = malloc(sizeof *content);
	struct file_scanner leader;
	pthread_t helper;

	(void)state;
	assert_non_null(content);
	crew_init(&crew, 2);
	atomic_fetch_add(&crew.idle, 1); /* it is on its way */
	new_scanner(&leader, &crew);
	content_begin(content, &leader, &row);
	for (int64_t done = 0; done < LED_FROM + 5 * UNIT; done += UNIT) {
		memcpy(leader.buffer, bytes + done, UNIT);
		content_add(content, UNIT, false);
	}
	assert_true(content->is_led);
	memset(content, 0xff, sizeof *content);
	free(content);
	assert_int_equal(pthread_create(&helper, NULL, help, &crew), 0);
	while (atomic_load(&crew.idle) < 2)
		sched_yield();
	crew_help(&crew);
	pthread_join(helper, NULL);
	file_scanner_release(&leader);
	crew_release(&crew);
}

struct one_leader {
	int64_t size_bytes;
	struct file_row row;
};

static void *lead_one(void *argument)
{
	struct one_leader *one = argument;
	struct file_scanner scanner;

	new_scanner(&scanner, &crew);
	scan(&scanner, one->size_bytes, true, &one->row);
	file_scanner_release(&scanner);
	crew_help(&crew);
	return NULL;
}

/* Several threads lead, and help the others when they are done. */
static void several_lead_at_once(void **state)
{
	struct one_leader leaders[4];
	pthread_t threads[4];

	(void)state;
	fill(MIXED);
	crew_init(&crew, 5);
	crew_lacks(&crew);
	for (int i = 0; i < 4; i++) {
		leaders[i].size_bytes = LED_FROM + 10 * i * UNIT + i;
		assert_int_equal(pthread_create(&threads[i], NULL, lead_one, &leaders[i]), 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(crew.at_work, 0);
	crew_release(&crew);
	for (int i = 0; i < 4; i++) {
		struct file_scanner alone;
		struct file_row expected;
		new_scanner(&alone, NULL);
		scan(&alone, leaders[i].size_bytes, true, &expected);
		file_scanner_release(&alone);
		assert_same_row(&expected, &leaders[i].row);
	}
}

static int make_content(void **state)
{
	(void)state;
	bytes = malloc((size_t)SIZE_MAX_HERE);
	random_begin();
	return bytes == NULL ? -1 : simhash_tag_set_new_default(&tags, &error);
}

static int free_content(void **state)
{
	(void)state;
	free(bytes);
	simhash_tag_set_free(tags);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_of_one_thread),
		cmocka_unit_test(the_first_seam_is_seen),
		cmocka_unit_test(nobody_is_asked_in_vain),
		cmocka_unit_test(what_is_left_leaves_no_trace),
		cmocka_unit_test(what_is_left_can_be_freed),
		cmocka_unit_test(several_lead_at_once),
	};

	return cmocka_run_group_tests(tests, make_content, free_content);
}

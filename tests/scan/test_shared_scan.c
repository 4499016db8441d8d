/*
 * Tests a large file that is written to while several threads scan it: if its row has a sketch, it
 * is the sketch of the bytes that were counted. pread() is wrapped and changes the file before a
 * chosen read.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "random.h"
#include "scan/file/scan_file.h"
#include "scan/file/shared_scan.h"

#define UNIT FILE_SCANNER_BUFFER
#define FILE_SIZE (SHARED_FROM + 3 * UNIT + 100)

/*
 * Before the first read at or after `at`, the file is truncated to `size`, or bytes at `changed_at`
 * change.
 */
static struct {
	int64_t at, size, changed_at;
	int fd;
	bool is_done;
} change;

static pthread_mutex_t change_lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *content;
static struct simhash_tag_set *tags;
static char path[] = "/tmp/simhash-shared.XXXXXX";
static struct simhash_error error;

static void change_file(int64_t offset)
{
	uint8_t other[1];

	pthread_mutex_lock(&change_lock);
	if (!change.is_done && offset >= change.at) {
		change.is_done = true;
		if (change.size >= 0)
			assert_int_equal(ftruncate(change.fd, change.size), 0);
		if (change.changed_at >= 0) {
			other[0] = (uint8_t)~content[change.changed_at];
			assert_int_equal(pwrite(change.fd, other, 1, change.changed_at), 1);
		}
	}
	pthread_mutex_unlock(&change_lock);
}

static ssize_t read_changed(int fd, void *buffer, size_t size, int64_t offset)
{
	/* Reads of one or two bytes only check the byte before a unit. */
	if (size > 2)
		change_file(offset);
	return syscall(SYS_pread64, fd, buffer, size, offset);
}

ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset);
ssize_t __wrap___pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room);
ssize_t __wrap___pread64_chk(int fd, void *buffer, size_t size, off_t offset, size_t room);

ssize_t __wrap_pread(int fd, void *buffer, size_t size, off_t offset)
{
	return read_changed(fd, buffer, size, offset);
}

ssize_t __wrap_pread64(int fd, void *buffer, size_t size, off_t offset)
{
	return read_changed(fd, buffer, size, offset);
}

ssize_t __wrap___pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room)
{
	return size <= room ? read_changed(fd, buffer, size, offset) : -1;
}

ssize_t __wrap___pread64_chk(int fd, void *buffer, size_t size, off_t offset, size_t room)
{
	return size <= room ? read_changed(fd, buffer, size, offset) : -1;
}

/* ---- Scanning ---- */

static const atomic_bool never_stop;

static void new_scanner(struct file_scanner *scanner)
{
	if (file_scanner_init(scanner, tags, true, &never_stop, &error) != 0)
		fail_msg("%s", error.message);
}

static void *help(void *argument)
{
	struct file_scanner scanner;

	new_scanner(&scanner);
	shared_scan_help(argument, &scanner);
	shared_scan_drop(argument);
	file_scanner_release(&scanner);
	return NULL;
}

static void write_file(void)
{
	change.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_true(change.fd >= 0);
	for (int64_t done = 0; done < FILE_SIZE;) {
		ssize_t some = write(change.fd, content + done, (size_t)(FILE_SIZE - done));
		assert_true(some > 0);
		done += some;
	}
}

/* Scan the file with `threads` threads while it is changed at `at`; returns its row. */
static struct file_row scan(unsigned threads, int64_t at, int64_t size, int64_t changed_at)
{
	struct shared_scan *shared = shared_scan_new(threads);
	struct file_row row = {.name = {"x", 1}};
	struct file_scanner scanner;
	pthread_t helpers[8];

	write_file();
	change.is_done = false;
	change.at = at;
	change.size = size;
	change.changed_at = changed_at;
	for (unsigned i = 1; i < threads; i++)
		assert_int_equal(pthread_create(&helpers[i], NULL, help, shared), 0);
	new_scanner(&scanner);
	assert_int_equal(scan_file(&scanner, AT_FDCWD, path, shared, &row), SCAN_DONE);
	for (unsigned i = 1; i < threads; i++)
		pthread_join(helpers[i], NULL);
	shared_scan_drop(shared);
	file_scanner_release(&scanner);
	close(change.fd);
	return row;
}

static void expect_sketch(const struct file_row *row)
{
	struct simhash_resemblance_sketch expected;

	assert_true(row->has_resemblance);
	simhash_resemblance_sketch_compute(content, (size_t)row->size_bytes, &expected);
	assert_memory_equal(&row->resemblance, &expected, sizeof expected);
}

static void a_file_that_stays_has_its_sketch(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 8; threads++) {
		struct file_row row = scan(threads, INT64_MAX, -1, -1);
		assert_int_equal(row.size_bytes, FILE_SIZE);
		expect_sketch(&row);
	}
}

static void a_file_that_grows_has_that_of_its_first_bytes(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct file_row row = scan(threads, 9 * UNIT, 2 * FILE_SIZE, -1);
		assert_int_equal(row.size_bytes, FILE_SIZE);
		expect_sketch(&row);
	}
}

/* One thread reads units in order, so it is known which bytes were read earlier. */
static void a_file_that_shrinks_has_that_of_what_is_left_or_none(void **state)
{
	static const struct {
		int64_t at, size, counted;
		bool has_sketch;
	} cases[] = {
		/* Within the next unit, after the bytes of it that were read ... */
		{9 * UNIT, 9 * UNIT + 1000, 9 * UNIT + 1000, true},
		{9 * UNIT, 9 * UNIT + 15, 9 * UNIT + 15, true},
		/* ... and within these bytes. */
		{9 * UNIT, 9 * UNIT + 14, 9 * UNIT + 14, false},
		{9 * UNIT, 9 * UNIT + 1, 9 * UNIT + 1, false},
		{9 * UNIT, 9 * UNIT, 9 * UNIT, false},
		/* The counted bytes were removed, or so many that the level changes. */
		{9 * UNIT, 100, 9 * UNIT, false},
		{0, 9 * UNIT + 7, 9 * UNIT + 7, true},
		{0, 9 * UNIT, 9 * UNIT, true},
		{0, 65551, 65551, true},
		{0, 65550, 65550, false},
		{0, 100, 100, false},
		{0, 0, 0, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct file_row row = scan(1, cases[i].at, cases[i].size, -1);
		assert_int_equal(row.size_bytes, cases[i].counted);
		assert_int_equal(row.has_resemblance, cases[i].has_sketch);
		if (row.has_resemblance)
			expect_sketch(&row);
	}
}

static void by_several_threads_too(void **state)
{
	(void)state;
	for (int i = 0; i < 60; i++) {
		int64_t at = (i % 20 + 2) * UNIT;
		struct file_row row = scan(2 + (unsigned)i % 4, at, at + i * 5 - 100, -1);
		if (row.has_resemblance)
			expect_sketch(&row);
	}
}

/* A byte of the next unit changes after the previous unit was read. */
static void a_seam_that_changes_leaves_no_sketch(void **state)
{
	struct file_row row;

	(void)state;
	row = scan(1, 9 * UNIT, -1, 9 * UNIT + 14);
	assert_false(row.has_resemblance);
	row = scan(1, 9 * UNIT, -1, 9 * UNIT);
	assert_false(row.has_resemblance);
	/* Bytes that were read before, and that both units read with their new values. */
	row = scan(1, 9 * UNIT, -1, 9 * UNIT - 1);
	expect_sketch(&row);
}

/* Its sketch is made together with the hash, so it always fits. */
static void a_text_always_has_its_sketch(void **state)
{
	uint8_t *bytes = content;

	(void)state;
	content = malloc(FILE_SIZE);
	for (int64_t i = 0; i < FILE_SIZE; i++)
		content[i] = (uint8_t)(bytes[i] % 3 == 0 ? " \t\r\n"[bytes[i] % 4]
							 : ' ' + bytes[i] % 90);
	for (unsigned threads = 1; threads <= 4; threads++) {
		struct file_row row = scan(threads, INT64_MAX, -1, -1);
		assert_int_equal(row.size_bytes, FILE_SIZE);
		expect_sketch(&row);
		row = scan(threads, 9 * UNIT, 9 * UNIT + 3, -1);
		expect_sketch(&row);
		row = scan(threads, 0, 1000, -1);
		expect_sketch(&row);
		row = scan(1, 9 * UNIT, -1, 9 * UNIT - 1);
		expect_sketch(&row);
	}
	free(content);
	content = bytes;
}

static int make_content(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	content = malloc(FILE_SIZE);
	if (content == NULL || fd < 0)
		return -1;
	close(fd);
	random_begin();
	for (int64_t i = 0; i < FILE_SIZE; i++)
		content[i] = (uint8_t)next_random();
	return simhash_tag_set_new_default(&tags, &error);
}

static int remove_content(void **state)
{
	(void)state;
	free(content);
	simhash_tag_set_free(tags);
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_stays_has_its_sketch),
		cmocka_unit_test(a_file_that_grows_has_that_of_its_first_bytes),
		cmocka_unit_test(a_file_that_shrinks_has_that_of_what_is_left_or_none),
		cmocka_unit_test(by_several_threads_too),
		cmocka_unit_test(a_seam_that_changes_leaves_no_sketch),
		cmocka_unit_test(a_text_always_has_its_sketch),
	};

	return cmocka_run_group_tests(tests, make_content, remove_content);
}

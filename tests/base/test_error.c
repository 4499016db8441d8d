/*
 * Tests that error messages keep their reason, no matter how long the paths in them are.
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/basic/error.h"

static struct simhash_error error;

static char *path_of(size_t size)
{
	char *path = malloc(size + 1);

	assert_non_null(path);
	memset(path, 'x', size);
	path[size] = '\0';
	return path;
}

static bool ends_in(const char *text, const char *end)
{
	size_t size = strlen(text), end_size = strlen(end);

	return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

static void reason_of_a_system_call_is_kept(void **state)
{
	static const char head[] = "cannot open tag file xxx";
	static const char reason[] = ": Permission denied";

	(void)state;
	for (size_t size = 1; size <= 4096; size += size > 900 && size < 1100 ? 1 : 97) {
		char *path = path_of(size);
		size_t whole = strlen("cannot open tag file ") + size + strlen(reason);
		memset(&error, 0xee, sizeof error);
		errno = EACCES;
		assert_int_equal(error_set_errno(&error, "cannot open tag file %s", path), -1);
		assert_int_equal(errno, EACCES);
		assert_int_equal(error.code, SIMHASH_E_SYSTEM);
		assert_int_equal(error.system_errno, EACCES);
		assert_int_equal(error.reserved[0] | error.reserved[1] | error.reserved[2], 0);
		assert_true(ends_in(error.message, reason));
		if (whole < sizeof error.message) {
			assert_int_equal(strlen(error.message), whole);
			assert_null(strstr(error.message, "..."));
		} else {
			assert_int_equal(strlen(error.message), sizeof error.message - 1);
			assert_memory_equal(error.message, head, strlen(head));
			assert_non_null(strstr(error.message, "xxx...xxx"));
		}
		free(path);
	}
}

static void reason_after_a_path_is_kept(void **state)
{
	char *path = path_of(4096);

	(void)state;
	assert_int_equal(error_set(&error, SIMHASH_E_RANGE, "%s: at most %d bytes are expected",
				   path, 65536),
			 -1);
	assert_int_equal(error.code, SIMHASH_E_RANGE);
	assert_int_equal(error.system_errno, 0);
	assert_true(ends_in(error.message, "xxx: at most 65536 bytes are expected"));
	assert_memory_equal(error.message, "xxx", 3);
	assert_non_null(strstr(error.message, "x...x"));
	free(path);
}

static void message_that_just_fits_is_whole(void **state)
{
	(void)state;
	for (size_t size = sizeof error.message - 2; size <= sizeof error.message; size++) {
		char *text = path_of(size);
		error_set(&error, SIMHASH_E_SYNTAX, "%s", text);
		assert_int_equal(strlen(error.message),
				 size < sizeof error.message ? size : sizeof error.message - 1);
		assert_int_equal(strstr(error.message, "...") == NULL, size < sizeof error.message);
		free(text);
	}
}

static void error_may_be_null(void **state)
{
	(void)state;
	errno = ENOENT;
	assert_int_equal(error_set(NULL, SIMHASH_E_RANGE, "%s", "x"), -1);
	assert_int_equal(error_set_errno(NULL, "%s", "x"), -1);
	assert_int_equal(error_set_memory(NULL), -1);
	assert_int_equal(errno, ENOENT);
}

static void codes_are_distinct(void **state)
{
	static const int codes[] = {SIMHASH_E_NONE,   SIMHASH_E_MEMORY,	    SIMHASH_E_SYSTEM,
				    SIMHASH_E_SYNTAX, SIMHASH_E_RANGE,	    SIMHASH_E_DATABASE,
				    SIMHASH_E_SCHEMA, SIMHASH_E_CONNECTION, ERROR_DUPLICATE,
				    ERROR_RETRY,      ERROR_STOPPED};

	(void)state;
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
		for (size_t k = 0; k < i; k++)
			assert_int_not_equal(codes[i], codes[k]);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(reason_of_a_system_call_is_kept),
		cmocka_unit_test(reason_after_a_path_is_kept),
		cmocka_unit_test(message_that_just_fits_is_whole),
		cmocka_unit_test(error_may_be_null),
		cmocka_unit_test(codes_are_distinct),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

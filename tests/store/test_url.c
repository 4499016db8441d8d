/*
 * Tests how URLs of indexes are parsed.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "store/engine/url.h"

static struct simhash_error error;

static void assert_part(const char *found, const char *expected)
{
	if (expected == NULL)
		assert_null(found);
	else
		assert_string_equal(found, expected);
}

static void urls_are_taken_apart(void **state)
{
	static const struct {
		const char *url;
		struct {
			const char *path, *user, *host, *database;
			unsigned port;
			const char *defaults_file;
		} parts;
	} cases[] = {
		{"sqlite:/a b/%41.db", {"/a b/%41.db", NULL, NULL, NULL, 0, NULL}},
		{"sqlite:relative", {"relative", NULL, NULL, NULL, 0, NULL}},
		{"mysql:///d", {NULL, NULL, NULL, "d", 0, NULL}},
		{"mysql://h/d", {NULL, NULL, "h", "d", 0, NULL}},
		{"mysql://u@h:3307/d", {NULL, "u", "h", "d", 3307, NULL}},
		{"mysql://u@/d", {NULL, "u", NULL, "d", 0, NULL}},
		{"mysql://a%40b%3a@h/d%2fe", {NULL, "a@b:", "h", "d/e", 0, NULL}},
		{"mysql://u@[::1]:3306/d", {NULL, "u", "::1", "d", 3306, NULL}},
		{"mysql://[fe80::1]/d", {NULL, NULL, "fe80::1", "d", 0, NULL}},
		{"mysql://u@h:1/d?defaults-file=/a b/c@d:e?f=%25%26",
		 {NULL, "u", "h", "d", 1, "/a b/c@d:e?f=%&"}},
		{"mysql:///d%3fdefaults-file=x?defaults-file=my.cnf",
		 {NULL, NULL, NULL, "d?defaults-file=x", 0, "my.cnf"}},
		{"sqlite:/d?defaults-file=x", {"/d?defaults-file=x", NULL, NULL, NULL, 0, NULL}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct store_url url;
		if (store_url_parse(cases[i].url, &url, &error) != 0)
			fail_msg("%s: %s", cases[i].url, error.message);
		assert_part(url.path, cases[i].parts.path);
		assert_part(url.user, cases[i].parts.user);
		assert_part(url.host, cases[i].parts.host);
		assert_part(url.database, cases[i].parts.database);
		assert_int_equal(url.port, cases[i].parts.port);
		assert_part(url.defaults_file, cases[i].parts.defaults_file);
		store_url_release(&url);
	}
}

static void wrong_urls_are_refused_without_their_secrets(void **state)
{
	static const char *const urls[] = {
		"",
		"x",
		"sqlite",
		"sqlite:",
		"sqlite3:/x",
		"mysql:/u@h/d",
		"mysql://",
		"mysql://h",
		"mysql://h/",
		"mysql://h/d/e",
		"mysql://h/d?x",
		"mysql://h/d?",
		"mysql://h/?defaults-file=/x",
		"mysql://h?defaults-file=/x",
		"mysql://h/d?defaults-file",
		"mysql://h/d?defaults-file=",
		"mysql://h/d?defaults-file=/x&defaults-file=/y",
		"mysql://h/d?defaults-file=/x#y",
		"mysql://h/d?defaults-file=%zz",
		"mysql://h/d?password=secret",
		"mysql://h/d?defaults-file=/x&password=secret",
		"mysql://u:secret?x@h/d",
		"mysql://h:0/d",
		"mysql://h:65536/d",
		"mysql://h:3x/d",
		"mysql://%zz@h/d",
		"mysql://u@h/d%",
		"mysql://u@h/d%4",
		"mysql://h/d%00",
		"mysql://[::1/d",
		"mysql://[::1]x/d",
		"mysql://u:secret@h/d",
		"mysql://u:secret/x@h/d",
		"mysql://u:@h/d",
		"mariadb://u:secret@h/d",
	};

	(void)state;
	for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
		struct store_url url;
		if (store_url_parse(urls[i], &url, &error) == 0)
			fail_msg("'%s' was taken", urls[i]);
		assert_int_equal(error.code, SIMHASH_E_SYNTAX);
		assert_non_null(strstr(error.message, "expected"));
		assert_null(strstr(error.message, "secret"));
	}
}

static void urls_of_one_index_are_known(void **state)
{
	static const struct {
		const char *x, *y;
		bool is_same;
	} cases[] = {
		{"mysql://u@h/d", "mysql://v@H/d", true},
		{"mysql://h/d", "mysql://h/e", false},
		{"mysql://h/d?defaults-file=/a", "mysql://h/d?defaults-file=/b", false},
		{"mysql://h/d?defaults-file=/a", "mysql://h/d", false},
		{"mysql://h/d?defaults-file=/a", "mysql://h/d?defaults-file=%2fa", true},
		{"mysql://h/d?defaults-file=/dev/null", "mysql://h/d?defaults-file=//dev/null",
		 true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		bool is_same;
		assert_int_equal(store_url_compare(cases[i].x, cases[i].y, &is_same, &error), 0);
		assert_int_equal(is_same, cases[i].is_same);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls_are_taken_apart),
		cmocka_unit_test(urls_of_one_index_are_known),
		cmocka_unit_test(wrong_urls_are_refused_without_their_secrets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * Tests texts of measures and weights: each is canonical, or refused with the expected message.
 * SPDX-License-Identifier: MIT
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "simhash_measures.h"
#include "sketching.h"

static struct simhash_error error;

static void texts_are_canonical(void **state)
{
	static const struct {
		const char *text, *canonical;
	} cases[] = {
		{"simhash64", "simhash64:bytes=8"},
		{"simhash128:words", "simhash128:words=1"},
		{"minhash", "minhash:bytes=8,functions=128,cluster=4"},
		{"minhash:cluster=2,functions=64,words=3",
		 "minhash:words=3,functions=64,cluster=2"},
		{"bottomk:", "bottomk:bytes=8,k=64,cluster=4"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct simhash_measure *measure = measure_of(cases[i].text), *again;
		assert_string_equal(simhash_measure_text(measure), cases[i].canonical);
		again = measure_of(simhash_measure_text(measure));
		assert_string_equal(simhash_measure_text(again), cases[i].canonical);
		simhash_measure_free(again);
		simhash_measure_free(measure);
	}
	assert_string_equal(simhash_measure_name(0), "simhash64");
	assert_null(simhash_measure_name(4));
}

static void wrong_texts_say_what_was_expected(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{"simhash", "expected simhash64, simhash128, minhash or bottomk"},
		{"", "unknown measure"},
		{"simhash64:functions=128", "has no parameter"},
		{"minhash:weights=/tmp", "has no parameter"},
		{"minhash:functions=100", "a power of two from 16 to 1024"},
		{"bottom:least=64", "bottom:least=N is now bottomk:k=N"},
		{"bottomk:k=4", "a number from 8 to 1024"},
		{"bottomk:k=8,cluster=9", "expected at most k=8"},
		{"minhash:bytes", "expected bytes=N"},
		{"minhash:bytes=65", "from 1 to 64"},
		{"minhash:words=17", "from 1 to 16"},
		{"minhash:words=2x", "from 1 to 16"},
		{"simhash64:weights=/etc/passwd", "has no parameter"},
	};
	static const char *const weights[] = {
		"x a\n",      "-1 a\n",	     "3\n",	   "3 a b\n",
		"3 \\q\n",    "1000001 a\n", "3 \\x\t4\n", "default 1\ndefault 2\n",
		"3 a\n4 a\n", "default x\n", "3 \n"};
	struct simhash_measure *measure;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(simhash_measure_new(cases[i].text, &measure, &error), -1);
		if (strstr(error.message, cases[i].says) == NULL)
			fail_msg("%s: %s", cases[i].text, error.message);
	}
	for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
		struct simhash_weights *read;
		if (simhash_weights_parse(weights[i], strlen(weights[i]), "given", &read, &error) ==
			    0 &&
		    simhash_measure_new_weighted("simhash64:words", read, &measure, &error) == 0)
			fail_msg("weights '%s' are accepted", weights[i]);
		if (strstr(error.message, "given:") == NULL)
			fail_msg("%s", error.message);
		simhash_weights_free(read);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_canonical),
		cmocka_unit_test(wrong_texts_say_what_was_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

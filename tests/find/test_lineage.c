/*
 * Tests the parts of a lineage: compares the cheapest tree with brute force, and checks the order
 * of names.
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

#include "find/lineage/arborescence.h"
#include "find/lineage/version_paths.h"
#include "random.h"

#define NODES_MAX 6
#define ABOVE_ROOTS(n) (n)

/* ---- Trees ---- */

struct costs {
	int64_t of[NODES_MAX + 1][NODES_MAX]; /* indexes: from, to */
	uint32_t nodes;
};

/* Does every way up end above the roots? */
static bool is_tree(const uint32_t *parents, uint32_t nodes)
{
	for (uint32_t v = 0; v < nodes; v++) {
		uint32_t at = v, steps = 0;
		while (at != ABOVE_ROOTS(nodes)) {
			at = parents[at];
			if (++steps > nodes)
				return false;
		}
	}
	return true;
}

static int64_t sum_of(const struct costs *costs, const uint32_t *parents)
{
	int64_t sum = 0;

	for (uint32_t v = 0; v < costs->nodes; v++)
		sum += costs->of[parents[v]][v];
	return sum;
}

/* The smallest sum of all trees, found by trying all parents. */
static int64_t least_by_brute_force(const struct costs *costs)
{
	uint32_t parents[NODES_MAX] = {0}, v;
	int64_t least = INT64_MAX;

	do {
		bool has_loop = false;
		for (v = 0; v < costs->nodes; v++)
			has_loop = has_loop || parents[v] == v;
		if (!has_loop && is_tree(parents, costs->nodes) && sum_of(costs, parents) < least)
			least = sum_of(costs, parents);
		for (v = 0; v < costs->nodes && ++parents[v] > costs->nodes; v++)
			parents[v] = 0;
	} while (v < costs->nodes);
	return least;
}

static void find_tree(const struct costs *costs, uint32_t *parents)
{
	struct arborescence graph;
	struct simhash_error error;

	assert_int_equal(arborescence_init(&graph, costs->nodes, &error), 0);
	for (uint32_t from = 0; from <= costs->nodes; from++)
		for (uint32_t to = 0; to < costs->nodes; to++)
			if (from != to)
				arborescence_set(&graph, from, to, costs->of[from][to]);
	assert_int_equal(arborescence_find(&graph, parents, &error), 0);
	arborescence_release(&graph);
}

/* There are few different costs, so that many are equal; some are negative. */
static void no_tree_is_cheaper(void **state)
{
	(void)state;
	random_begin();
	for (int round = 0; round < 600; round++) {
		struct costs costs = {.nodes = (uint32_t)(1 + round % NODES_MAX)};
		uint64_t kinds = round % 3 == 0 ? 3 : 1000;
		uint32_t parents[NODES_MAX];
		for (uint32_t from = 0; from <= costs.nodes; from++)
			for (uint32_t to = 0; to < costs.nodes; to++)
				costs.of[from][to] =
					(int64_t)(next_random() % kinds) -
					(round % 5 == 0 ? 500 : 0) +
					(from == costs.nodes && round % 2 == 0 ? 100000 : 0);
		find_tree(&costs, parents);
		assert_true(is_tree(parents, costs.nodes));
		assert_int_equal(sum_of(&costs, parents), least_by_brute_force(&costs));
	}
}

/* Each step closes a cycle that includes everything contracted before. */
static void cycles_in_cycles_are_contracted(void **state)
{
	enum { NODES = 300 };
	struct arborescence graph;
	struct simhash_error error;
	uint32_t parents[NODES];

	(void)state;
	assert_int_equal(arborescence_init(&graph, NODES, &error), 0);
	for (uint32_t to = 0; to < NODES; to++)
		for (uint32_t from = 0; from <= NODES; from++)
			if (from != to)
				arborescence_set(&graph, from, to,
						 from == NODES ? 1000000 - (to == 7)
							       : labs((long)from - (long)to) +
									 (long)(from + to) / 2);
	assert_int_equal(arborescence_find(&graph, parents, &error), 0);
	arborescence_release(&graph);
	for (uint32_t v = 0; v < NODES; v++)
		assert_int_equal(parents[v], v == 7 ? NODES : v < 7 ? v + 1 : v - 1);
}

/* ---- Names ---- */

static struct paths_comparison compare_paths(struct bytes x, struct bytes y)
{
	struct version_path path_x = version_path_of(x), path_y = version_path_of(y);

	return paths_compare(&path_x, &path_y);
}

static struct paths_comparison compare_parsed(struct bytes x, struct bytes y)
{
	struct version_path path_x = version_path_of(x), path_y = version_path_of(y);
	uint8_t *meanings_x = malloc(x.size + 1), *meanings_y = malloc(y.size + 1);
	struct paths_comparison comparison;

	assert_true(meanings_x != NULL && meanings_y != NULL);
	version_path_parse(&path_x, meanings_x);
	version_path_parse(&path_y, meanings_y);
	comparison = paths_compare(&path_x, &path_y);
	free(meanings_x);
	free(meanings_y);
	return comparison;
}

static int order_of(const char *x, const char *y)
{
	int there = compare_paths(bytes_of(x), bytes_of(y)).order.order;
	int back = compare_paths(bytes_of(y), bytes_of(x)).order.order;

	assert_int_equal((there > 0) - (there < 0), (back < 0) - (back > 0));
	return (there > 0) - (there < 0);
}

static void names_tell_the_earlier(void **state)
{
	static const char *const earlier_later[][2] = {
		{"report.doc", "report_v2.doc"},
		{"report_v2.doc", "report_v10.doc"},
		{"report2.doc", "report10.doc"},
		{"a-1.9.tar", "a-1.10.tar"},
		{"a-1.2/x.c", "a-1.2.3/x.c"},
		{"a-1.2.3-beta.1/x.c", "a-1.2.3/x.c"},
		{"a-2.0~rc1/x.c", "a-2.0/x.c"},
		{"a-1.2-3/x.c", "a-1.2-3+deb11u1/x.c"},
		{"a-2.0-rc1", "a-2.0-rc2"},
		{"notes 2021-03-04.txt", "notes 2021-11-01.txt"},
		{"20210304.log", "20211101.log"},
		{"backup/2021-03-04/x", "backup/2021-03-05/x"},
		{"x.c~", "x.c"},
		{"x.c.bak", "x.c"},
		{"x.c.orig", "x.c"},
		{"x.old.c", "x.c"},
		{"x.c.~1~", "x.c"},
		{"x.c.~1~", "x.c.~2~"},
		{"x_old.c", "x_new.c"},
		{"x_draft.c", "x_final.c"},
		{"a/old/x.c", "a/x.c"},
		{"a.bak/x.c", "a/x.c"},
		{"x.doc", "x (1).doc"},
		{"x (1).doc", "x (2).doc"},
		{"x.doc", "Copy of x.doc"},
		{"x.doc", "x - Copy.doc"},
		{"x.doc", "x - Copy (2).doc"},
		{"a-1.0/lib/x.js", "a-1.1/lib/y.js"},
		{"/home/a/x_v1.c", "/srv/b/c/x_v2.c"},
		{"x-99999999999999999999998", "x-99999999999999999999999"},
		{"syslog", "syslog.1"}, /* see tests/cli/lineage.sh */
		{"chapter.1", "chapter.2"},
		{"report.doc", "report.doc.1"},
		{"libx.so.1", "libx.so.2"},
		{"app.1.log", "app.2.log"},
		{"app.log", "app.log.2025"},
		{"app.log", "app.log.001"},
		{"app.log.001", "app.log.002"},
		{"catalog.1", "catalog.2"},
		{"app.log/x.1", "app.log/x.2"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof earlier_later / sizeof *earlier_later; i++)
		if (order_of(earlier_later[i][0], earlier_later[i][1]) != -1)
			fail_msg("%s is not before %s", earlier_later[i][0], earlier_later[i][1]);
}

/* A log without a number is the newest one, and a larger number is older. */
static void rotated_logs_count_backwards(void **state)
{
	static const char *const earlier_later[][2] = {
		{"app.log.1", "app.log"},
		{"app.log.2", "app.log.1"},
		{"app.log.10", "app.log.9"},
		{"app.log.999", "app.log.0"},
		{"app.log.2.gz", "app.log.1"},
		{"app.log.12.zst", "app.log.3.xz"},
		{"log/app.log.2.gz//app.log.2", "log/app.log.1"},
		{"a/App.LOG.1", "b/App.LOG"},
		{"app.log-20250101", "app.log"},
		{"app.log-20250101.bz2", "app.log"},
		{"app.log.2025-01-01", "app.log"},
		{"app.log-20250101.gz", "app.log-20250102"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof earlier_later / sizeof *earlier_later; i++) {
		struct bytes x = bytes_of(earlier_later[i][0]), y = bytes_of(earlier_later[i][1]);
		if (order_of(earlier_later[i][0], earlier_later[i][1]) != -1 ||
		    compare_paths(x, y).order.reason != NAME_ROTATION)
			fail_msg("%s is not rotated before %s", x.data, y.data);
	}
}

static void other_names_do_not_tell(void **state)
{
	static const char *const pairs[][2] = {
		{"a.c", "a.c"},
		{"a.c", "b.c"},
		{"a.c", "a.h"},
		{"one/x.c", "two/x.c"},
		{"x-3fa9.o", "x-77bc.o"},
		{"app.log.1", "other.log"},
		{"x", "x.txt"},
		{"v2/x_v1.c", "v1/x_v2.c"},
		{"x-1.0.c", "x-01.0.c"},
		{"old/x_v2.c", "old/x_v2.c"},
		{"", ""},
		{"/", ""},
		{"a", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (order_of(pairs[i][0], pairs[i][1]) != 0)
			fail_msg("%s and %s have an order", pairs[i][0], pairs[i][1]);
}

/* Numbers that may count something say less than versions, and equal names more than others. */
static void names_have_a_relation(void **state)
{
	static const struct {
		const char *x, *y;
		enum names_relation relation;
	} pairs[] = {
		{"report_v2.doc", "report_v3.doc", NAMES_MARKED},
		{"report rev 2.doc", "report rev 11.doc", NAMES_MARKED},
		{"a-1.9.tar", "a-1.10.tar", NAMES_MARKED},
		{"a-1.2/x.c", "a-1.3/x.c", NAMES_MARKED},
		{"draft 2.txt", "draft 3.txt", NAMES_MARKED},
		{"x.doc", "x.doc.bak", NAMES_MARKED},
		{"x.doc", "x (1).doc", NAMES_MARKED},
		{"x.c.~1~", "x.c.~2~", NAMES_MARKED},
		{"x (1).doc", "x (2).doc", NAMES_ALIKE},
		{"notes 2021-03-04.txt", "notes 2021-11-01.txt", NAMES_ALIKE},
		{"20210304.log", "20211101.log", NAMES_ALIKE},
		{"letter.txt", "letter2.txt", NAMES_ALIKE},
		{"app.log", "app.log.1", NAMES_ALIKE},
		{"app.log.1", "app.log.2.gz", NAMES_ALIKE},
		{"app.log-20250101", "app.log-20250102", NAMES_ALIKE},
		{"one/x.c", "two/x.c", NAMES_ALIKE},
		{"customer 1/x.c", "customer 2/x.c", NAMES_ALIKE},
		{"Invoice 1001.pdf", "Invoice 1002.pdf", NAMES_COUNTED},
		{"IMG_0001.jpg", "IMG_0002.jpg", NAMES_COUNTED},
		{"page-12.html", "page-13.html", NAMES_COUNTED},
		{"chapter3.tex", "chapter10.tex", NAMES_COUNTED},
		{"chapter.1", "chapter.2", NAMES_COUNTED},
		{"statement 2024-01.pdf", "statement 2024-02.pdf", NAMES_COUNTED},
		{"v1/page 3.html", "v2/page 4.html", NAMES_COUNTED},
		{"x 20211301.log", "x 20211401.log", NAMES_COUNTED},
		{"pt.json", "pt_BR.json", NAMES_OTHER},
		{"x-3fa9.o", "x-77bc.o", NAMES_OTHER},
		{"", "a", NAMES_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct bytes x = bytes_of(pairs[i].x), y = bytes_of(pairs[i].y);
		enum names_relation there = compare_paths(x, y).relation;
		enum names_relation back = compare_paths(y, x).relation;
		if (there != pairs[i].relation || back != pairs[i].relation)
			fail_msg("%s and %s have relation %d and %d", pairs[i].x, pairs[i].y,
				 (int)there, (int)back);
	}
}

/*
 * For any bytes, the order of x and y is the opposite of the order of y and x, their relation is the
 * same, and no byte outside is read. Nothing changes if the paths are parsed before.
 */
static void any_names_have_one_order(void **state)
{
	static const char letters[] = "//..120~() -_vbxoldg\xff\n";

	(void)state;
	random_begin();
	for (int round = 0; round < 20000; round++) {
		size_t size_x = next_random() % 12, size_y = next_random() % 12;
		char *x = malloc(size_x + 1), *y = malloc(size_y + 1);
		struct paths_comparison there, back, parsed;
		assert_true(x != NULL && y != NULL);
		for (size_t i = 0; i < size_x; i++)
			x[i] = letters[next_random() % (sizeof letters - 1)];
		for (size_t i = 0; i < size_y; i++)
			y[i] = letters[next_random() % (sizeof letters - 1)];
		there = compare_paths((struct bytes){x, size_x}, (struct bytes){y, size_y});
		back = compare_paths((struct bytes){y, size_y}, (struct bytes){x, size_x});
		assert_int_equal((there.order.order > 0) - (there.order.order < 0),
				 (back.order.order < 0) - (back.order.order > 0));
		assert_int_equal(there.relation, back.relation);
		parsed = compare_parsed((struct bytes){x, size_x}, (struct bytes){y, size_y});
		assert_int_equal(parsed.order.order, there.order.order);
		assert_int_equal(parsed.order.reason, there.order.reason);
		assert_int_equal(parsed.relation, there.relation);
		free(x);
		free(y);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_tree_is_cheaper),
		cmocka_unit_test(cycles_in_cycles_are_contracted),
		cmocka_unit_test(names_tell_the_earlier),
		cmocka_unit_test(rotated_logs_count_backwards),
		cmocka_unit_test(other_names_do_not_tell),
		cmocka_unit_test(names_have_a_relation),
		cmocka_unit_test(any_names_have_one_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
